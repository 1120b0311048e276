import { utfOf } from '../../core/json/utf.ts';

/** Control, formatting and surrogate characters, which could change how a text is displayed; all but the tab. */
const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The text of a file: in Unicode, without a byte order mark, with line feeds as line ends, without white space at the
 * end of lines and empty lines around it; control characters are shown as `\u{1b}`. Null for a file that is not a text.
 */
export function decodeText(bytes: Uint8Array): string | null {
  const text = unicodeText(bytes);
  if (text === null || text.includes('\0')) return null;
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => shownLine(line).trimEnd());
  return lines.join('\n').replace(/^\n+/, '').trimEnd();
}

/** Form feeds separate the pages of the GNU licenses. */
function shownLine(line: string): string {
  return line.replaceAll('\f', '').replace(INVISIBLE, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Null for an encoding that is not supported. A file that is not Unicode is from an old editor of Windows. */
function unicodeText(bytes: Uint8Array): string | null {
  const utf = utfOf(bytes);
  if (utf !== null)
    return utf.startsWith('UTF-16') ? decode(bytes, utf.includes('big') ? 'utf-16be' : 'utf-16le') : null;
  return decode(bytes, 'utf-8') ?? decode(bytes, 'windows-1252');
}

/** Null for bytes that are invalid in the encoding. */
function decode(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
