import { describe, expect, test } from 'vitest';
import type { HttpViews } from '../../../src/core/facts/facts.ts';
import { clockDoubt } from '../../../src/core/http/clock.ts';
import { browser, hop, NOW, probe, web } from '../../support/probes.ts';

const at = (iso: string): Record<string, string> => ({ Date: new Date(iso).toUTCString() });
const lower = (headers: Record<string, string>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
const one = (headers: Record<string, string>): HttpViews => web(probe(hop(lower(headers))));
const two = (first: Record<string, string>, second: Record<string, string>): HttpViews =>
  web(probe(hop(lower(first))), { browser: [browser(lower(second))] });

describe('a date that contradicts the clock', () => {
  test.each<[string, HttpViews, string]>([
    ['is later', one(at('2026-11-21T12:10:01Z')), '2026-11-21T12:10:01.000Z'],
    ['is years later', one(at('2029-01-01T00:00:00Z')), '2029-01-01T00:00:00.000Z'],
    [
      'is that of the latest response',
      two(at('2026-01-01T00:00:00Z'), at('2026-11-20T12:00:00Z')),
      '2026-11-20T12:00:00.000Z',
    ],
    [
      'is that of a stored copy, with its age',
      two({ ...at('2026-11-20T11:00:00Z'), Age: '3600' }, at('2026-11-20T10:00:00Z')),
      '2026-11-20T12:00:00.000Z',
    ],
    ['is that of a redirect', web(probe([hop(lower(at('2026-12-01T00:00:00Z'))), hop()])), '2026-12-01T00:00:00.000Z'],
  ])('%s', (_, views, date) => {
    expect(clockDoubt(views, NOW)).toEqual({ now: NOW, host: 'apps.example.com', date });
  });
});

describe('no contradiction is', () => {
  test.each<[string, HttpViews]>([
    ['a date of the same minutes', one(at('2026-11-21T12:09:00Z'))],
    ['a past date of one response, which may be a stored copy', one(at('2026-01-01T00:00:00Z'))],
    ['a past date beside a present one', two(at('2026-01-01T00:00:00Z'), at('2026-11-21T12:00:01Z'))],
    ['a past date with an age', two({ ...at('2026-11-21T00:00:00Z'), Age: '43200' }, at('2026-11-20T00:00:00Z'))],
    ['no date', one({})],
    ['a value that is no date', one({ Date: 'tomorrow' })],
  ])('%s', (_, views) => {
    expect(clockDoubt(views, NOW)).toBeNull();
  });
  test('a resource that was not requested', () => {
    expect(clockDoubt({ missing: { code: 'offline' } }, NOW)).toBeNull();
  });
});
