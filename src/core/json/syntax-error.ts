import { foreignKind } from './foreign-text.ts';
import { grammarError } from './grammar.ts';
import { textAroundJson } from '../http/program-output.ts';
import type { DocumentSyntaxError } from './document-syntax-error.ts';

/**
 * The fault of text that is not JSON, or that contains a lone surrogate; null if there is none. The nesting must be
 * bounded: call `survey` first.
 */
export function syntaxErrorInText(text: string): DocumentSyntaxError | null {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const foreign = foreignKind(text.slice(start));
  if (foreign !== null) return foreign;
  const found = grammarError(text, start);
  // A lone surrogate is a fault of otherwise complete JSON.
  return found === null || found.cause === 'lone-surrogate' ? found : textAroundJson(text, start, found);
}
