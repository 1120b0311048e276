import { foreignKind } from './foreign-text.ts';
import { grammarError } from './grammar.ts';
import { textAroundJson } from '../http/program-output.ts';
import type { DocumentSyntaxError } from './document-syntax-error.ts';

/**
 * What is wrong with text that is no JSON, or that holds a lone surrogate; null when nothing is. The nesting must be
 * bounded: ask `survey` first.
 */
export function syntaxErrorInText(text: string): DocumentSyntaxError | null {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const foreign = foreignKind(text.slice(start));
  if (foreign !== null) return foreign;
  const found = grammarError(text, start);
  // A lone surrogate is a fault of JSON that is otherwise whole.
  return found === null || found.cause === 'lone-surrogate' ? found : textAroundJson(text, start, found);
}
