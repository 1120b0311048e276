import { foreignKind } from './foreign-text.ts';
import { grammarFault } from './json-grammar.ts';
import type { TextFault } from './text-fault.ts';

/**
 * What is wrong with text that is no JSON, or that holds a lone surrogate; null when nothing is. The nesting must be
 * bounded: ask `survey` first.
 */
export function faultInText(text: string): TextFault | null {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  return foreignKind(text.slice(start)) ?? grammarFault(text, start);
}
