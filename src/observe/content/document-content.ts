import { isAscii, isUtf8 } from 'node:buffer';
import type { DocumentContent } from '../../core/json/content.ts';

export function bytesOf({ text, base64 }: DocumentContent): Buffer {
  return text === null ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
}

/** Bytes as the facts about a document; text if they are UTF-8, so that saved facts are readable. */
export function contentOf(bytes: Uint8Array, cut = false): DocumentContent {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Pure ASCII text takes one byte per character in memory, and decodes fastest as Latin-1.
  if (isAscii(buffer)) return { text: buffer.toString('latin1'), base64: null, bytes: buffer.length, cut };
  if (isUtf8(buffer)) return { text: buffer.toString('utf8'), base64: null, bytes: buffer.length, cut };
  return { text: null, base64: buffer.toString('base64'), bytes: buffer.length, cut };
}
