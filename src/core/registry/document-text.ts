import type { DocumentContent } from '../facts/facts.ts';

/** The last two documents: an edit reads its input and its output several times, and each is parsed once. */
const last: DocumentContent[] = [];

/** Text as the content of a document, in UTF-8. */
export function documentText(text: string): DocumentContent {
  const known = last.find((content) => content.text === text);
  return known ?? rememberText({ text, base64: null, bytes: new TextEncoder().encode(text).length, cut: false });
}

/** Makes `documentText` return this content for its text. */
export function rememberText(content: DocumentContent): DocumentContent {
  if (content.text === null || last.includes(content)) return content;
  last.unshift(content);
  last.length = Math.min(last.length, 2);
  return content;
}
