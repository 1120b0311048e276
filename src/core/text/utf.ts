/**
 * The Unicode encoding of a text if it is not UTF-8: by its byte order mark, or by the zero bytes around its first two
 * characters, which are ASCII in JSON and XML (RFC 4627, section 3). Null for UTF-8 and other bytes.
 * @param bytes the first four bytes, or fewer if there are not as many
 */
export function utfOf(bytes: ArrayLike<number>): string | null {
  const [a, b, c, d] = [bytes[0] ?? -1, bytes[1] ?? -1, bytes[2] ?? -1, bytes[3] ?? -1];
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? UTF_32LE : UTF_16LE;
  if (a === 0xfe && b === 0xff) return UTF_16BE;
  if (a === 0 && b === 0 && ((c === 0xfe && d === 0xff) || (c === 0 && isAscii(d)))) return UTF_32BE;
  if (isAscii(a) && b === 0 && d === 0 && (c === 0 || isAscii(c))) return c === 0 ? UTF_32LE : UTF_16LE;
  return a === 0 && isAscii(b) && c === 0 && isAscii(d) ? UTF_16BE : null;
}

/** True if a byte is a character that a text may begin with, white space included. */
function isAscii(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 9 || byte === 10 || byte === 13;
}

const UTF_16LE = 'UTF-16 (little-endian)';
const UTF_16BE = 'UTF-16 (big-endian)';
const UTF_32LE = 'UTF-32 (little-endian)';
const UTF_32BE = 'UTF-32 (big-endian)';
