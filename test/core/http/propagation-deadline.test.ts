import { describe, expect, test } from 'vitest';
import type { Resource, HttpViews } from '../../../src/core/facts/facts.ts';
import { openLifetimes } from '../../../src/core/http/propagation-deadline.ts';

const NOW = '2026-03-01T12:00:00.250Z';
const DATE = 'Sun, 01 Mar 2026 12:00:00 GMT';

function document(
  headers: Record<string, string>,
  url = 'https://x.test/r.json',
  status = 200,
): Pick<Resource, 'url' | 'web'> {
  const pairs = Object.entries({ date: DATE, ...headers });
  const hop = { url, status, headers: pairs, address: null, tls: null };
  const web: HttpViews = {
    server: { method: 'GET', origin: null, hops: [hop], failure: null, attempts: 1, retryAfterMs: 0 },
    browser: [],
    preflight: { missing: { code: 'not-requested', flag: null } },
    head: { missing: { code: 'not-requested', flag: null } },
  };
  return { url, web };
}

function cachedFor(...documents: Pick<Resource, 'url' | 'web'>[]): [cached: number, withoutLifetime: number] {
  const lifetimes = openLifetimes();
  for (const one of documents) lifetimes.note(one);
  const { cached, withoutLifetime } = lifetimes.visibleBy(NOW);
  return [cached, withoutLifetime];
}

describe('the time for which caches may serve an older copy', () => {
  test.each<[string, Record<string, string>, [number, number]]>([
    ['max-age', { 'cache-control': 'public, max-age=300' }, [300, 0]],
    ['the longer of both', { 'cache-control': 'max-age=60, s-maxage=600' }, [600, 0]],
    ['less the age of the copy that came', { 'cache-control': 'max-age=300', age: '120' }, [180, 0]],
    ['nothing, where that copy is older', { 'cache-control': 'max-age=300', age: '900' }, [0, 0]],
    ['what may be served stale', { 'cache-control': 'max-age=300, stale-while-revalidate=60' }, [360, 0]],
    ['no-store', { 'cache-control': 'no-store' }, [0, 0]],
    ['no-cache', { 'cache-control': 'no-cache, max-age=300' }, [0, 0]],
    ['Expires', { expires: 'Sun, 01 Mar 2026 12:10:00 GMT' }, [600, 0]],
    ['a tenth of the time since the last change', { 'last-modified': 'Sun, 01 Mar 2026 10:20:00 GMT' }, [600, 0]],
    ['unknown without headers', {}, [0, 1]],
  ])('is computed from the headers: %s', (_, headers, expected) =>
    expect(cachedFor(document(headers))).toEqual(expected),
  );

  test('is the longest of all documents', () => {
    expect(
      cachedFor(
        document({ 'cache-control': 'max-age=60' }),
        document({ 'cache-control': 'max-age=600', age: '100' }, 'https://x.test/a.json'),
        document({}, 'https://x.test/b.json'),
      ),
    ).toEqual([500, 1]);
  });

  test('includes the lifetime of the previous response for a changed document', () => {
    const before = document({ 'last-modified': 'Sat, 19 Dec 2025 12:00:00 GMT' });
    const [old] = cachedFor(before);
    expect(old).toBeGreaterThan(600_000);
    expect(cachedFor(before, document({ 'last-modified': DATE }))).toEqual([old, 0]);
    expect(
      cachedFor(document({ 'cache-control': 'max-age=900' }), document({ 'cache-control': 'max-age=60' })),
    ).toEqual([900, 0]);
  });

  test('ignores responses with an error and URLs that were not requested', () => {
    expect(cachedFor(document({ 'cache-control': 'max-age=300' }, 'https://x.test/', 404))).toEqual([0, 0]);
    expect(cachedFor({ url: null, web: { missing: { code: 'not-requested', flag: null } } })).toEqual([0, 0]);
  });
});

test('the deadline includes the hour until the next check of the service', () => {
  const lifetimes = openLifetimes();
  lifetimes.note(document({ 'cache-control': 'max-age=300' }));
  expect(lifetimes.visibleBy(NOW)).toEqual({
    at: '2026-03-01T13:05:01Z',
    seconds: 3900,
    cached: 300,
    withoutLifetime: 0,
  });
});
