import { isUtf8 } from 'node:buffer';
import type { ImageFacts } from '../../core/facts/facts.ts';
import { utf16Of } from '../../core/text/file-type.ts';

/** Lines and columns in a text, from 1; a column is a number of characters. */
export interface Place {
  line: number;
  column: number;
}

/** Finds the place of an offset in a text whose lines end in LF. */
export function placesIn(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const start = starts[low] ?? 0;
    return {
      line: low + 1,
      // Counted only if it is needed: a line may be as long as the text.
      get column() {
        return Array.from(text.slice(start, offset)).length + 1;
      },
    };
  };
}

interface Decoded {
  text: string;
  /** The reason why the text cannot be read. */
  fault: ImageFacts['fault'];
  /** The reason why not all browsers read it. */
  warning: ImageFacts['fault'];
}

/**
 * Decodes XML as Chromium decodes SVG images: UTF-16 with a byte order mark, otherwise UTF-8, whatever the XML
 * declaration says. Text that is not UTF-8 is read as it declares, as other browsers do.
 */
export function decodeXml(bytes: Uint8Array): Decoded {
  const utf16 = utf16Of(bytes);
  if (utf16 !== null) {
    const isMarked = (bytes[0] ?? 0) >= 0xfe;
    const warning = isMarked ? null : notUtf8(`${utf16} without a byte order mark`);
    // Half a character at the end is ignored.
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 2));
    return { text: new TextDecoder(utf16).decode(whole), fault: null, warning };
  }
  const text = new TextDecoder().decode(bytes);
  if (isUtf8(bytes)) return { text, fault: null, warning: null };
  const label = declaredEncoding(bytes);
  const declared = label === null ? null : decodeAs(label, bytes);
  if (declared !== null) return { text: declared, fault: null, warning: notUtf8(label ?? '') };
  const offset = firstInvalid(text, bytes);
  const { line, column } = placesIn(text.replace(/\r\n?/g, '\n'))(offset);
  return {
    text,
    fault: {
      code: 'encoding',
      message: `${line}:${column}: its bytes are not in ${label === null ? 'UTF-8' : `the encoding that it declares (${label})`}`,
    },
    warning: null,
  };
}

function notUtf8(encoding: string): NonNullable<ImageFacts['fault']> {
  return { code: 'not-utf-8', message: `it is in ${encoding}, but Chromium reads every SVG image as UTF-8` };
}

/** The encoding of the XML declaration, if it is another one than UTF-8 or UTF-16. */
function declaredEncoding(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const label = /^<\?xml[^>]{0,150}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start)?.[1]?.toLowerCase();
  return label === undefined || /^utf-?(8|16)/.test(label) ? null : label;
}

function decodeAs(label: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Where the first bytes are that were replaced, in a text decoded from UTF-8. */
function firstInvalid(text: string, bytes: Uint8Array): number {
  let offset = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let from = 0;
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', at + 1)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd)
      return text.slice(0, at).replace(/\r\n?/g, '\n').length;
    from = at;
  }
  return 0;
}
