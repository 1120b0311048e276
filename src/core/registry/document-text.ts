import type { DocumentContent } from '../facts/facts.ts';

/** Text as the content of a document, in UTF-8. */
export function documentText(text: string): DocumentContent {
  return { text, base64: null, bytes: new TextEncoder().encode(text).length, cut: false };
}

/** The byte order mark with which a text begins; otherwise an empty text. An edit of a file preserves it. */
export function byteOrderMarkOf(text: string): string {
  return text.startsWith('\ufeff') ? '\ufeff' : '';
}
