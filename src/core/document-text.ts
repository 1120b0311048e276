import type { DocumentContent } from './facts.ts';

/** The last two: an edit reads what it starts from and what it made several times, and each is parsed once. */
const last: DocumentContent[] = [];

/** Text as the content of a document. */
export function documentText(text: string): DocumentContent {
  const known = last.find((content) => content.text === text);
  if (known) return known;
  const content: DocumentContent = { text, base64: null, bytes: text.length, cut: false };
  last.unshift(content);
  last.length = Math.min(last.length, 2);
  return content;
}
