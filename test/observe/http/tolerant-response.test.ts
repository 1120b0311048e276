import { expect, test } from 'vitest';
import { readTolerantly } from '../../../src/observe/http/tolerant-response.ts';

/** Responses that Node.js refuses. test/browser/icon-responses.test.ts compares more of them with a browser. */

const read = (text: string, isEnded = false): string | null =>
  readTolerantly(Buffer.from(text, 'latin1'), 'GET', isEnded)?.body.toString('latin1') ?? null;

const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n';
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc';

test.each([
  ['LF line ends', 'HTTP/1.1 200 OK\nContent-Length: 3\n\nabc'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 3\r\n\r\nabc'],
  ['a line without a colon', 'HTTP/1.1 200 OK\r\nabc\r\nContent-Length: 3\r\n\r\nabc'],
  ['equal lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc'],
  ['blanks behind a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3  \r\nabc\r\n0\r\n\r\n'],
  ['interim responses', INTERIM.repeat(10) + FINAL],
])('%s are read', (_, text) => {
  expect(read(text)).toBe('abc');
  expect(read(text.slice(0, -1))).toBeNull();
});

test.each([
  ['interim responses without an end', INTERIM.repeat(100_000) + FINAL],
  ['other lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
  ['no head', 'abc'.repeat(1000)],
])('%s are refused', (_, text) => {
  expect(read(text, true)).toBeNull();
});
