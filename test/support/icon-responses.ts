import { gzipSync } from 'node:zlib';
import { SVG } from './icons.ts';

/** Responses for an icon, many of which HTTP does not allow, and what a browser does with them. */

const N = SVG.length;
const HEX = N.toString(16);
const TYPE = 'Content-Type: image/svg+xml\r\nAccess-Control-Allow-Origin: *\r\n';
const LENGTH = `Content-Length: ${N}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const OK = 'HTTP/1.1 200 OK\r\n';
const chunks = (size = HEX, end = '\r\n'): string => `${size}\r\n${SVG}${end}0\r\n\r\n`;
const gz = gzipSync(SVG);
const GZIP = `${TYPE}Content-Encoding: gzip\r\n`;

/**
 * `valid`: Node.js reads it as well. `shown`: a browser shows the icon, and Node.js refuses the response. `refused`: both
 * refuse it, or what they read is no icon.
 */
type Row = [name: string, browser: 'valid' | 'shown' | 'refused', response: string | Buffer];

const ROWS: readonly Row[] = [
  ['valid', 'valid', `${OK}${TYPE}${LENGTH}\r\n${SVG}`],
  ['obs-fold', 'shown', `${OK}X-A: a\r\n b\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  [
    'obs-fold of the type',
    'shown',
    `${OK}Content-Type:\r\n image/svg+xml\r\nAccess-Control-Allow-Origin: *\r\n${LENGTH}\r\n${SVG}`,
  ],
  ['a folded line first', 'shown', `${OK} folded\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['a line without a colon', 'shown', `${OK}bad line\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['a name with a space', 'shown', `${OK}X A: b\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['a space before the colon', 'shown', `${OK}X-A : b\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  [
    'a space before the colon of the type',
    'shown',
    `${OK}Content-Type : image/svg+xml\r\nAccess-Control-Allow-Origin: *\r\n${LENGTH}\r\n${SVG}`,
  ],
  ['an empty name', 'shown', `${OK}: b\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['a control character', 'shown', `${OK}X-A: a\u0001b\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['a zero byte', 'refused', `${OK}X-A: a\u0000b\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['a lone CR', 'shown', `${OK}X-A: a\rb\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['LF line ends', 'shown', `${OK}${TYPE}${LENGTH}\r\n`.replaceAll('\r\n', '\n') + SVG],
  ['mixed line ends', 'shown', `${OK}${TYPE.replaceAll('\r\n', '\n')}${LENGTH}\r\n${SVG}`],
  ['no reason phrase', 'valid', `HTTP/1.1 200\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['two spaces in the status line', 'shown', `HTTP/1.1  200 OK\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['HTTP/1.2', 'shown', `HTTP/1.2 200 OK\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['HTTP/2.0', 'valid', `HTTP/2.0 200 OK\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['lower case http', 'shown', `http/1.1 200 OK\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['ICY', 'refused', `ICY 200 OK\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['an empty line first', 'valid', `\r\n${OK}${TYPE}${LENGTH}\r\n${SVG}`],
  ['four letters first', 'shown', `abcd${OK}${TYPE}${LENGTH}\r\n${SVG}`],
  ['no status line', 'refused', SVG],
  ['chunk sizes with a blank', 'shown', `${OK}${TYPE}${CHUNKED}\r\n${chunks(`${HEX} `)}`],
  ['chunk sizes with many blanks', 'shown', `${OK}${TYPE}${CHUNKED}\r\n${chunks(`${HEX}     `)}`],
  ['chunk sizes with a blank before', 'refused', `${OK}${TYPE}${CHUNKED}\r\n${chunks(` ${HEX}`)}`],
  ['chunk sizes with a tab', 'refused', `${OK}${TYPE}${CHUNKED}\r\n${chunks(`${HEX}\t`)}`],
  ['chunk sizes with 0x', 'refused', `${OK}${TYPE}${CHUNKED}\r\n${chunks(`0x${HEX}`)}`],
  ['chunk extensions', 'valid', `${OK}${TYPE}${CHUNKED}\r\n${chunks(`${HEX};a=b`)}`],
  ['chunk extensions behind a blank', 'shown', `${OK}${TYPE}${CHUNKED}\r\n${chunks(`${HEX} ; a=b`)}`],
  ['chunks with LF', 'shown', `${OK}${TYPE}${CHUNKED}\r\n${chunks().replaceAll('\r\n', '\n')}`],
  ['no line end behind a chunk', 'refused', `${OK}${TYPE}${CHUNKED}\r\n${chunks(HEX, '')}`],
  ['no last chunk', 'refused', `${OK}${TYPE}${CHUNKED}\r\n${HEX}\r\n${SVG}\r\n`],
  ['no line end behind the last chunk', 'refused', `${OK}${TYPE}${CHUNKED}\r\n${HEX}\r\n${SVG}\r\n0\r\n`],
  ['no chunks at all', 'refused', `${OK}${TYPE}${CHUNKED}\r\n${SVG}`],
  ['a length and chunks', 'shown', `${OK}${TYPE}${LENGTH}${CHUNKED}\r\n${chunks()}`],
  ['a wrong length and chunks', 'shown', `${OK}${TYPE}Content-Length: 5\r\n${CHUNKED}\r\n${chunks()}`],
  ['chunked twice', 'valid', `${OK}${TYPE}${CHUNKED}${CHUNKED}\r\n${chunks()}`],
  ['chunked, chunked', 'valid', `${OK}${TYPE}Transfer-Encoding: chunked, chunked\r\n\r\n${chunks()}`],
  ['identity', 'valid', `${OK}${TYPE}Transfer-Encoding: identity\r\n\r\n${SVG}`],
  ['identity and a length', 'shown', `${OK}${TYPE}Transfer-Encoding: identity\r\n${LENGTH}\r\n${SVG}`],
  ['identity, chunked', 'valid', `${OK}${TYPE}Transfer-Encoding: identity, chunked\r\n\r\n${chunks()}`],
  ['an unknown coding and a length', 'shown', `${OK}${TYPE}Transfer-Encoding: foo\r\n${LENGTH}\r\n${SVG}`],
  ['equal lengths', 'shown', `${OK}${TYPE}${LENGTH}${LENGTH}\r\n${SVG}`],
  ['a list of equal lengths', 'shown', `${OK}${TYPE}Content-Length: ${N}, ${N}\r\n\r\n${SVG}`],
  ['different lengths', 'refused', `${OK}${TYPE}${LENGTH}Content-Length: 5\r\n\r\n${SVG}`],
  ['a list of different lengths', 'refused', `${OK}${TYPE}Content-Length: ${N}, 5\r\n\r\n${SVG}`],
  ['a length with a plus', 'shown', `${OK}${TYPE}Content-Length: +${N}\r\n\r\n${SVG}`],
  ['a negative length', 'shown', `${OK}${TYPE}Content-Length: -1\r\n\r\n${SVG}`],
  ['a length that is no number', 'shown', `${OK}${TYPE}Content-Length: abc\r\n\r\n${SVG}`],
  ['an empty length', 'shown', `${OK}${TYPE}Content-Length:\r\n\r\n${SVG}`],
  ['a length in hexadecimal', 'shown', `${OK}${TYPE}Content-Length: 0x${HEX}\r\n\r\n${SVG}`],
  ['a length with a comment', 'shown', `${OK}${TYPE}Content-Length: ${N} bytes\r\n\r\n${SVG}`],
  ['a length that is too large', 'refused', `${OK}${TYPE}Content-Length: ${N + 9}\r\n\r\n${SVG}`],
  ['a length that is too small', 'refused', `${OK}${TYPE}Content-Length: ${N - 3}\r\n\r\n${SVG}`],
  ['no length', 'valid', `${OK}${TYPE}\r\n${SVG}`],
  ['gzip without a trailer', 'shown', Buffer.concat([Buffer.from(`${OK}${GZIP}\r\n`), gz.subarray(0, -8)])],
  ['gzip with half a trailer', 'shown', Buffer.concat([Buffer.from(`${OK}${GZIP}\r\n`), gz.subarray(0, -4)])],
  [
    'gzip with a wrong trailer',
    'shown',
    Buffer.concat([Buffer.from(`${OK}${GZIP}\r\n`), gz.subarray(0, -8), Buffer.alloc(8, 1)]),
  ],
  ['gzip with words behind', 'shown', Buffer.concat([Buffer.from(`${OK}${GZIP}\r\n`), gz, Buffer.from('words')])],
  ['gzip without its last bytes', 'refused', Buffer.concat([Buffer.from(`${OK}${GZIP}\r\n`), gz.subarray(0, -14)])],
  ['a header of 300 kB', 'refused', `${OK}X-A: ${'a'.repeat(300_000)}\r\n${TYPE}${LENGTH}\r\n${SVG}`],
  ['a header of 50 kB', 'valid', `${OK}X-A: ${'a'.repeat(50_000)}\r\n${TYPE}${LENGTH}\r\n${SVG}`],
];

/** As the browser test saw them. */
export const ICON_RESPONSES = ROWS.map(([name, browser, response]) => ({
  name,
  browser,
  bytes: typeof response === 'string' ? Buffer.from(response, 'latin1') : response,
}));
