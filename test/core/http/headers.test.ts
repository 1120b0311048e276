import { describe, expect, test } from 'vitest';
import { freshness, oldCopyAge } from '../../../src/core/http/cache.ts';
import {
  cacheControl,
  contentCodings,
  headerValue,
  headerLines,
  httpDate,
  mediaType,
  retryAfter,
  secondsIn,
  stripSpace,
  tokens,
  varyNames,
} from '../../../src/core/http/headers.ts';
import { hop, probe } from '../../support/probes.ts';
import { expectWithin } from '../../support/timing.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

test('lines of a header are trimmed and joined', () => {
  const headers: [string, string][] = [
    ['a', ' 1\t'],
    ['b', 'x'],
    ['a', '2'],
  ];
  expect(headerLines(headers, 'a')).toEqual(['1', '2']);
  expect(headerValue(headers, 'a')).toBe('1, 2');
  expect(headerValue(headers, 'c')).toBeNull();
});

test('200,000 spaces are trimmed within half a second', () => {
  const text = `${' '.repeat(200_000)}x`;
  expectWithin(500, () => {
    expect(stripSpace(text)).toBe('x');
    expect(tokens(text)).toEqual(['x']);
  });
});

test.each([
  ['Accept-Encoding, ORIGIN', ['accept-encoding', 'origin']],
  ['*', ['*']],
  [',, Origin ,', ['origin']],
])('Vary is parsed as names in lower case: %s', (value, names) => expect(varyNames([['vary', value]])).toEqual(names));

test.each([
  ['Application/JSON; Charset="UTF-8"', { type: 'application/json', charset: 'utf-8' }],
  ['text/plain', { type: 'text/plain', charset: null }],
  ['', { type: '', charset: null }],
  ['text/plain, image/svg+xml', { type: 'image/svg+xml', charset: null }],
  ['image/svg+xml, */*', { type: 'image/svg+xml', charset: null }],
  ['image/svg+xml, garbage', { type: 'image/svg+xml', charset: null }],
  ['image/svg+xml;', { type: 'image/svg+xml', charset: null }],
  ['text/html; title="a, text/plain"', { type: 'text/html', charset: null }],
  ['text/html;charset=gbk, text/html', { type: 'text/html', charset: 'gbk' }],
  ['text/html;charset=gbk, text/plain', { type: 'text/plain', charset: null }],
  ['PNG; x', { type: 'png', charset: null }],
  ['*/*', { type: '*/*', charset: null }],
])('Content-Type is parsed as type and charset: %s', (value, expected) =>
  expect(mediaType([['content-type', value]])).toEqual(expected),
);

test('the last valid Content-Type of several lines counts', () => {
  const lines = ['text/plain', 'image/png', ''].map((value): [string, string] => ['content-type', value]);
  expect(mediaType(lines)).toEqual({ type: 'image/png', charset: null });
  expect(mediaType([])).toBeNull();
});

test.each([
  ['gzip', ['gzip']],
  ['X-GZip', ['gzip']],
  ['gzip ,', ['gzip']],
  ['identity', []],
  ['identity, identity', []],
  ['gzip, identity', ['gzip', 'identity']],
  ['', []],
  ['gzip, br', ['gzip', 'br']],
  ['aws-chunked', ['aws-chunked']],
])('Content-Encoding is parsed as codings: %s', (value, expected) =>
  expect(contentCodings([['content-encoding', value]])).toEqual(expected),
);

describe('HTTP dates', () => {
  const moment = Date.UTC(1994, 10, 6, 8, 49, 37);
  test.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'are parsed: %s',
    (text) => expect(httpDate(text)).toBe(moment),
  );
  test.each(['0', '-1', '1994-11-06T08:49:37Z', 'Sun, 06 Foo 1994 08:49:37 GMT', 'tomorrow', ''])(
    'are rejected if malformed: %s',
    (text) => expect(httpDate(text)).toBeNull(),
  );
});

test.each<[string | null, number | null]>([
  ['120', 120],
  ['0', 0],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30],
  ['-5', null],
  ['abc', null],
  ['1.5', null],
  ['Sun, 06 Nov 1994 08:49:37 GMT', null],
  [null, null],
])('Retry-After is parsed as seconds: %s', (value, expected) => expect(retryAfter(value, NOW)).toBe(expected));

test.each<[string, number | null]>([
  ['0', 0],
  ['300', 300],
  ['99999999999', 2 ** 31],
  ['-1', null],
  ['1.5', null],
  ['"300"', null],
  ['', null],
])('delta-seconds are parsed: %s', (text, expected) => expect(secondsIn(text)).toBe(expected));

test('the first directive of a name counts, and malformed directives are listed', () => {
  const read = cacheControl('Public, MAX-AGE=300, max-age=0, s-maxage="1"');
  expect(read.directives.get('max-age')).toBe('300');
  expect(read.malformed).toEqual(['max-age=0', 's-maxage="1"']);
});

test.each<[Record<string, string>, number | null]>([
  [{}, null],
  [{ 'cache-control': 'max-age=300' }, 300],
  [{ 'cache-control': 'max-age=60, s-maxage=600' }, 600],
  [{ 'cache-control': 'no-store' }, 0],
  [{ 'cache-control': 'no-cache="set-cookie", max-age=300' }, 300],
  [{ 'cache-control': 'public' }, null],
  [{ expires: 'Sat, 21 Nov 2026 13:00:00 GMT' }, 3600],
  [{ expires: 'Sat, 21 Nov 2026 13:00:00 GMT', date: 'Sat, 21 Nov 2026 12:30:00 GMT' }, 1800],
  [{ expires: 'never' }, 0],
])('the freshness lifetime is computed from %j', (headers, expected) =>
  expect(freshness(hop(headers), NOW).lifetime).toBe(expected),
);

test.each<[string, Record<string, string>, number]>([
  ['an hour old', { age: '3600', 'cache-control': 'max-age=86400' }, 0],
  ['older than the hourly check', { age: '3601', 'cache-control': 'max-age=86400' }, 3601],
  ['without a lifetime', { age: '900000' }, 900_000],
  ['dropped at each deploy', { age: '900000', 'cache-control': 'public, max-age=0, must-revalidate' }, 0],
  ['no age', { 'x-cache': 'HIT', 'cache-control': 'max-age=31536000' }, 0],
])('the age of an old copy is computed: %s', (_, headers, age) =>
  expect(oldCopyAge(probe(hop(headers)), '2026-11-21T12:00:00.000Z')).toBe(age),
);
