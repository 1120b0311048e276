import type { DocumentContent } from './facts.ts';

/** Text as the content of a document. */
export function documentText(text: string): DocumentContent {
  return { text, base64: null, bytes: text.length, cut: false };
}
