/**
 * Reads a response as browsers do that HTTP/1.1 (RFC 9112) does not allow and Node.js refuses: folded and malformed
 * header lines, LF as a line end, several equal lengths, a length beside chunks, blanks behind chunk sizes. What browsers
 * refuse is refused: test/browser/icon-responses.test.ts compares it with one.
 */

/** A response that was read. */
export interface TolerantResponse {
  statusCode: number;
  /** Alternating names and values. */
  headers: string[];
  body: Buffer;
}

/** Bytes of a head that browsers read. */
const MAX_HEAD = 262_144;

/** Interim responses that may precede one. */
const MAX_INTERIM = 10;

/** Letters that may precede the status line. */
const MAX_JUNK = 4;

/**
 * @param received so far
 * @param isEnded true if the host has closed the connection
 * @returns null if more is needed, or if browsers refuse it
 */
export function readTolerantly(received: Buffer, method: string, isEnded: boolean): TolerantResponse | null {
  let start = 0;
  let head = readHead(received);
  for (let interim = 0; head !== null && isInterim(head); interim++) {
    if (interim === MAX_INTERIM) return null;
    start += head.end;
    head = readHead(received.subarray(start));
  }
  if (head === null) return null;
  const { statusCode, headers } = head;
  const values = (name: string): string[] =>
    headers
      .filter(([key]) => key.toLowerCase() === name)
      .flatMap(([, value]) => value.split(',').map((one) => one.trim()));
  const rest = received.subarray(start + head.end);
  const body = bodyOf(rest, {
    isEmpty: method === 'HEAD' || statusCode === 204 || statusCode === 304,
    isChunked: values('transfer-encoding').some((coding) => coding.toLowerCase() === 'chunked'),
    lengths: new Set(values('content-length')),
    isEnded,
  });
  return body && { statusCode, headers: headers.flat(), body };
}

interface Head {
  statusCode: number;
  headers: [name: string, value: string][];
  end: number;
}

function isInterim({ statusCode }: Head): boolean {
  return statusCode >= 100 && statusCode < 200;
}

function readHead(received: Buffer): Head | null {
  const text = received.toString('latin1', 0, MAX_HEAD + 4);
  const start = text
    .slice(0, MAX_JUNK + 4)
    .toUpperCase()
    .indexOf('HTTP');
  const close = /\n\r?\n/.exec(text);
  if (start === -1 || close === null || close.index > MAX_HEAD) return null;
  const lines = text
    .slice(start, close.index)
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''));
  const status = /^HTTP\/\d+\.\d+ +(\d{3})\b/i.exec(lines[0] ?? '')?.[1];
  if (status === undefined || lines.some((line) => line.includes('\0'))) return null;
  return { statusCode: Number(status), headers: headersOf(lines.slice(1)), end: close.index + close[0].length };
}

/** Lines that are no header are skipped, and folded ones continue the line before. */
function headersOf(lines: readonly string[]): Head['headers'] {
  const unfolded: string[] = [];
  for (const line of lines) {
    const last = unfolded.length - 1;
    if (/^[ \t]/.test(line) && last >= 0) unfolded[last] += ` ${line.trim()}`;
    else unfolded.push(line.trim());
  }
  return unfolded.flatMap((line): Head['headers'] => {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
}

interface Framing {
  isEmpty: boolean;
  isChunked: boolean;
  lengths: ReadonlySet<string>;
  isEnded: boolean;
}

function bodyOf(rest: Buffer, { isEmpty, isChunked, lengths, isEnded }: Framing): Buffer | null {
  if (isEmpty) return Buffer.alloc(0);
  if (isChunked) return chunksOf(rest);
  if (lengths.size > 1) return null;
  const [length = ''] = lengths;
  // Browsers ignore a length that is no number, and read to the end of the connection.
  if (!/^\d{1,15}$/.test(length)) return isEnded ? rest : null;
  return rest.length < Number(length) ? null : rest.subarray(0, Number(length));
}

/** The content of all chunks; null without the last one, or if one is malformed. */
function chunksOf(rest: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf(0x0a, at);
    if (lineEnd === -1) return null;
    const line = rest.toString('latin1', at, lineEnd).replace(/\r$/, '');
    const size = /^([0-9a-f]{1,8}) *(?:;|$)/i.exec(line)?.[1];
    if (size === undefined) return null;
    at = lineEnd + 1;
    const length = Number.parseInt(size, 16);
    if (length === 0) return hasTrailerEnd(rest, at) ? Buffer.concat(chunks) : null;
    chunks.push(rest.subarray(at, at + length));
    at += length;
    const end = rest.toString('latin1', at, at + 2);
    if (!end.startsWith('\n') && end !== '\r\n') return null;
    at += end.startsWith('\n') ? 1 : 2;
  }
}

/** True if an empty line follows, behind trailers or at once. */
function hasTrailerEnd(rest: Buffer, at: number): boolean {
  return /(?:^|\n)\r?\n/.test(rest.toString('latin1', at));
}
