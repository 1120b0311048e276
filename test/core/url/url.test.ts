import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLoopback, parseUrl, comparableUrl, urlParts } from '../../../src/core/url/url.ts';
import { isPlainUrl, urlError, urlErrors, urlOddities } from '../../../src/core/url/url-error.ts';
import { runs } from '../../support/property-runs.ts';
import { expectWithin } from '../../support/timing.ts';

// The tests of url-malformed and url-unusual cover each cause.

const host = fc.stringMatching(/^[a-z0-9x.-]{1,12}$/);
const built = fc
  .tuple(
    fc.constantFrom('https://', 'http://', 'HTTPS://', 'https:/', ''),
    host,
    fc.constantFrom('', ':443', ':8443', ':'),
    fc.stringMatching(/^(\/[A-Za-z0-9._~%@:+ -]{0,6}){0,3}$/),
    fc.constantFrom('', '?a=b', '#c', '\\', '\t'),
  )
  .map((parts) => parts.join(''));
const anyUrl = fc.oneof(
  built,
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string(),
  fc.tuple(host, fc.constantFrom('', '0x1', '1', 'xn--a', 'xn--exmple-4nf')).map(([a, b]) => `https://${a}.${b}/x`),
);

function isPlain(text: string): boolean {
  const parts = urlParts(text);
  return parts !== null && isPlainUrl(text, parts);
}

test('a plain URL has no error and no oddity', () => {
  let plain = 0;
  fc.assert(
    fc.property(anyUrl, (text) => {
      if (!isPlain(text)) return;
      plain++;
      expect(new URL(text).href).toBe(text);
      expect([...urlErrors(text), ...urlOddities(text)]).toEqual([]);
    }),
    { numRuns: runs(5000) },
  );
  expect(plain).toBeGreaterThan(20);
});

describe('parseUrl', () => {
  test('returns the same results after 10,000 calls, including for international host names', () => {
    const texts: [text: string, base: string | undefined, host: string | undefined][] = [
      ['https://b\u00fccher.example.com/', undefined, 'xn--bcher-kva.example.com'],
      ['https://\u65e5\u672c.example/', undefined, 'xn--wgv71a.example'],
      ['/caf\u00e9', 'https://b\u00fccher.example/', 'xn--bcher-kva.example'],
      ['https://x.test:65536/', undefined, undefined],
      ['\u00fc', undefined, undefined],
    ];
    const answers = (): unknown[] => texts.map(([text, base]) => parseUrl(text, base)?.host);
    const expected = texts.map(([, , host]) => host);
    expect(answers()).toEqual(expected);
    for (let i = 0; i < 10_000; i += 1) parseUrl(`https://example.com/${i}`);
    expect(answers()).toEqual(expected);
  });

  test('returns a new URL for each call, which may be changed', () => {
    const first = parseUrl('https://x.test/a');
    first?.searchParams.set('a', 'b');
    expect(parseUrl('https://x.test/a')?.href).toBe('https://x.test/a');
  });
});

test('the result for an international host name does not depend on earlier calls', () => {
  const alone = urlError('https://b\u00fccher.example.com/icon.png');
  for (let i = 0; i < 10_000; i += 1) urlError(`http://example.com/${i}`);
  expect(urlError('https://b\u00fccher.example.com/icon.png')).toEqual(alone);
  expect(alone).toBe(null);
});

test.each([
  'https://apps.example.com/',
  'https://apps.example.com/a-b/1.0.0/app_1~x.tar.gz',
  'https://localhost/a',
  'https://a1.b2.example/x/',
  'https://1.2.3.4/',
  'https://127.0.0.1:8443/a',
  'https://x.test:8443/a',
])('a URL is plain: %s', (text) => {
  expect(isPlain(text)).toBe(true);
  const { protocol, host, hostname, pathname, hash, href } = new URL(text);
  expect(urlParts(text)).toMatchObject({ protocol, host, hostname, pathname, hash, href });
});

test.each([
  'ftp://x.test/',
  'https://x.test',
  'https://X.test/',
  'https://x.test/a?b|c',
  'https://x.test/a?b\\c',
  'https://x.test/a#b',
  'https://x.test/a#',
  'https://x.test:443/',
  'https://u@x.test/',
  'https://x.test/a b',
  'https://x.test/./a',
  'https://x.test/../a',
  'https://1.2.3/',
  'https://01.2.3.4/',
  'https://256.2.3.4/',
  'https://x.test:0443/',
  'https://x.test:65536/',
  'https://x.test:/',
  'https://a.1/',
  'https://0x7f000001/',
  'https://xn--a/',
  'https://a.xn--b/',
  'https://x..test/',
  `https://${'a'.repeat(64)}.test/`,
  ' https://x.test/',
  'https://x.test/\n',
])('a URL is not plain: %j', (text) => expect(isPlain(text)).toBe(false));

describe('urlError and urlOddities', () => {
  test('a URL without an error can be parsed, has http or https and contains no credentials', () => {
    fc.assert(
      fc.property(anyUrl, (text) => {
        if (urlError(text) !== null) return;
        const url = new URL(text);
        expect(url.protocol).toMatch(/^https?:$/);
        expect(url.username + url.password).toBe('');
        expect(text).toBe(text.trim());
      }),
      { numRuns: runs(3000) },
    );
  });

  test('a URL with an error is not also reported as unusual', () => {
    fc.assert(
      fc.property(anyUrl, (text) => {
        if (urlError(text) !== null)
          expect(urlOddities(text).filter(() => urlError(text)?.cause !== 'userinfo')).toEqual([]);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('a URL in the advice has no error that the advice could have fixed', () => {
    fc.assert(
      fc.property(anyUrl, (text) => {
        const advised = /^Write it as (https?:\S+)$/.exec((urlError(text) ?? urlOddities(text)[0])?.advice ?? '')?.[1];
        if (advised !== undefined && urlError(text)?.cause !== 'control-character')
          expect(['userinfo', 'host', 'unparsable', undefined, 'slashes'], `${text} → ${advised}`).toContain(
            urlError(advised)?.cause,
          );
      }),
      { numRuns: runs(3000) },
    );
  });

  test('messages contain no password', () => {
    expect(JSON.stringify(urlError('https://user:hunter2@x.test/'))).not.toContain('hunter2');
  });
});

test('parsing is cached by text', () => {
  expect(urlParts('https://x.test/a')?.href).toBe('https://x.test/a');
  expect(urlParts('https://x.test/b')?.href).toBe('https://x.test/b');
  expect(urlParts('nonsense')).toBe(null);
  expect(urlParts('https://x.test/a')?.href).toBe('https://x.test/a');
});

test.each([
  ['https://x.test/a', 'https://X.TEST:443/a#b', true],
  ['https://x.test/a', 'https://x.test/b/../a', true],
  ['https://x.test/a', 'https://x.test/A', false],
  ['https://x.test/a', 'https://x.test/a?', false],
  ['https://x.test/a', 'http://x.test/a', false],
  ['nonsense', 'nonsense', true],
  ['nonsense', 'Nonsense', false],
  ['https://a.example/x#', 'https://a.example/x', true],
])('comparableUrl compares %s and %s: %j', (a, b, same) => expect(comparableUrl(a) === comparableUrl(b)).toBe(same));

test.each([
  ['localhost', true],
  ['apps.localhost', true],
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['[::1]', true],
  ['localhost.test', false],
  ['mylocalhost', false],
  ['128.0.0.1', false],
  ['127.0.0.1.test', false],
  ['[::2]', false],
  ['0.0.0.0', false],
])('isLoopback(%s) is %j', (name, local) => expect(isLoopback(name)).toBe(local));

test('100,000 hostile characters are handled within a second', () => {
  expectWithin(1000, () => {
    for (const text of [
      `https://a.bc/${'x'.repeat(100_000)}`,
      `https://a.bc/${'x/'.repeat(50_000)}`,
      `https://a.bc/${'x/'.repeat(50_000)}?`,
      `https://${'a'.repeat(100_000)}/`,
      `https://${'a.'.repeat(50_000)}/`,
      `https://${'a-'.repeat(50_000)}`,
      'a.'.repeat(50_000),
      'a:'.repeat(50_000),
      '\t'.repeat(100_000),
      `https://${'@'.repeat(100_000)}/`,
      `https://x.test/${'%2e/'.repeat(30_000)}`,
      `https://x.test/${'../'.repeat(30_000)}`,
      `https:${'/'.repeat(100_000)}`,
    ]) {
      isPlain(text);
      urlError(text);
      urlOddities(text);
      comparableUrl(text);
    }
  });
});
