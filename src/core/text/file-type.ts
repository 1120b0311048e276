import { utfOf } from './utf.ts';

/** The kind of bytes, determined by the first bytes and never by a name or a label. */

// Signatures that begin at the first byte, the longest first if one is a prefix of another.
const SIGNATURES: readonly (readonly [kind: string, hex: string])[] = [
  ['png', '89504e470d0a1a0a'],
  ['7z', '377abcaf271c'],
  ['xz', 'fd377a585a00'],
  ['gif', '474946383761'],
  ['gif', '474946383961'],
  ['rar', '526172211a07'],
  ['pdf', '25504446'],
  // A gzip file that was processed as text: its byte 8b became U+FFFD, the UTF-8 of its Latin-1 or Windows-1252
  // character, a question mark, or lost its eighth bit.
  ['gzip-as-text', '1fefbfbd'],
  ['gzip-as-text', '1fc28b'],
  ['gzip-as-text', '1fe280b9'],
  ['gzip-as-text', '1f3f08'],
  ['gzip-as-text', '1f0b08'],
  ['zip', '504b0304'],
  ['zip', '504b0506'],
  ['zstd', '28b52ffd'],
  ['lz4', '04224d18'],
  ['lzip', '4c5a4950'],
  ['tiff', '49492a00'],
  ['tiff', '4d4d002a'],
  ['ico', '00000100'],
  ['ico', '00000200'],
  ['jpeg', 'ffd8ff'],
  ['bzip2', '425a68'],
  ['compress', '1f9d'],
];
const TEXT_SAMPLE = 512;
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

/**
 * The kind of some bytes: `empty`, `gzip`, `zip`, `tar`, `xz`, `png`, `jpeg`, `html`, `xml`, `svg`, `json`,
 * `git-lfs-pointer`, … or `unknown`. For texts it is a first guess: whether XML is well-formed is for a parser to
 * decide.
 * @param head the first 512 bytes, or fewer if there are not as many
 */
export function kindOf(head: Uint8Array): string {
  if (head.length === 0) return 'empty';
  // Nearly all artifacts.
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  const start = hex(head, 0, 8);
  for (const [kind, signature] of SIGNATURES) if (start.startsWith(signature)) return kind;
  if (ascii(head, 257, 262) === 'ustar') return 'tar';
  if (ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP') return 'webp';
  if (ascii(head, 4, 8) === 'ftyp') return brand(ascii(head, 8, 12));
  // Zlib without the gzip frame: deflate with a 32 KiB window, and a header that is a multiple of 31.
  if (head[0] === 0x78 && head.length > 2 && (head[0] * 256 + (head[1] ?? 0)) % 31 === 0 && !isText(head))
    return 'zlib';
  if (ascii(head, 0, 2) === 'BM' && head[6] === 0 && head[7] === 0 && head[8] === 0) return 'bmp';
  return textKind(head);
}

/**
 * The reason to suspect a content that is expected to be an artifact, or null.
 * @param head its first bytes, in base64
 */
export function unlikeArtifact(head: string): string | null {
  const kind = kindOfContent(head);
  if (kind === 'empty') return 'is empty';
  if (kind === 'html') return 'is an HTML page';
  if (kind === 'xml') return 'is an XML document, perhaps an error message of the host';
  return kind === 'git-lfs-pointer' ? 'is a Git LFS pointer, not the file itself (git lfs pull fetches it)' : null;
}

/** The kind of a content, by its first bytes as they are in the facts (base64). */
export function kindOfContent(head: string): string {
  return kindOf(bytesOfHead(head));
}

/** The first bytes of a content, which the facts hold as base64. */
export function bytesOfHead(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function brand(name: string): string {
  if (name === 'avif' || name === 'avis') return 'avif';
  if (name.startsWith('hei') || name.startsWith('hev') || name === 'mif1') return 'heic';
  return 'unknown';
}

/** The beginning of HTML pages and fragments. An SVG or another XML document has none of these as its root. */
export const HTML_START =
  /^<(!doctype\s+html|html|head|body|script|meta|title|link|style|base|h[1-6]|p|div|pre|center|table|br|hr|b|i|u|a|em|strong|font|span|img|ul|ol|dl|form|iframe|noscript|section|main|header|nav|article|code|small)[\s/>]/i;

// Bytes that precede markup in a malformed or unusual file: whitespace, control characters, byte order marks (as Latin-1).
const BLANKS = String.raw`(?:[\0- \x7f\ufeff]|\xef\xbb\xbf|\xc2[\x80-\xa0])*`;
const MARKUP_START = new RegExp(`^${BLANKS}(?=<[a-z_:!?])`, 'i');
const SVG_START = /<([\w.-]{1,40}:)?svg[\s>/]|<!doctype\s+svg/i;
/** The DOCTYPE of HTML before an SVG, which browsers accept. */
const SVG_AS_HTML = /^<!doctype\s+html[^>]*>(?:\s+|<!--(?:[^-]|-(?!->))*-->)*<([\w.-]{1,40}:)?svg[\s>/]/i;

function textKind(head: Uint8Array): string {
  // Browsers do not read UTF-32.
  if (utfOf(head)?.startsWith('UTF-32')) return 'utf-32';
  const text = decodeStart(head);
  const blanks = MARKUP_START.exec(text)?.[0].length;
  if (blanks !== undefined) return markupKind(text.slice(blanks));
  if (utf16Of(head) === null && !isText(head)) return 'unknown';
  const body = text.trimStart();
  if (body === '') return 'text';
  if (body.startsWith(LFS_POINTER)) return 'git-lfs-pointer';
  if (body.startsWith('<')) return SVG_START.test(body) ? 'svg' : 'xml';
  if (body.startsWith('{') || body.startsWith('[')) return 'json';
  if (/^("|data:[^,]{0,100},)?H4sI/.test(body)) return 'gzip-as-base64';
  return 'text';
}

/** Also with control characters, which make it malformed. */
function markupKind(body: string): string {
  if (HTML_START.test(body)) return SVG_AS_HTML.test(body) ? 'svg' : 'html';
  return SVG_START.test(body) ? 'svg' : 'xml';
}

/** The first bytes as text: UTF-16 with a mark (or an XML file's zero bytes); otherwise a character per byte. */
function decodeStart(head: Uint8Array): string {
  const skip = markLength(head);
  const encoding = utf16Of(head);
  if (encoding === null) return ascii(head, skip, TEXT_SAMPLE);
  let text = '';
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  for (let i = skip; i + 1 < head.length && i < TEXT_SAMPLE; i += 2)
    text += String.fromCharCode(view.getUint16(i, encoding === 'utf-16le'));
  return text;
}

/** UTF-16, determined by a byte order mark, or by the zero bytes of the first characters of an XML file. */
export function utf16Of([first, second, third, fourth]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c && third === 0) return 'utf-16be';
  return null;
}

function markLength(head: Uint8Array): 0 | 2 | 3 {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 3;
  return (head[0] ?? 0) >= 0xfe ? 2 : 0;
}

function isText(head: Uint8Array): boolean {
  for (const byte of head.subarray(0, TEXT_SAMPLE))
    if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) return false;
  return true;
}

function hex(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (const byte of bytes.subarray(from, to)) text += byte.toString(16).padStart(2, '0');
  return text;
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (const byte of bytes.subarray(from, to)) text += String.fromCharCode(byte);
  return text;
}
