import { describe, expect, test } from 'vitest';
import type { DocumentFacts, Probe } from '../../../../src/core/facts/facts.ts';
import { judge } from '../../../../src/core/engine/judge.ts';
import { atLaterTime, responseFingerprint } from '../../../../src/service/refresh/unchanged/response-fingerprint.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const http = (moment: number): string => new Date(moment).toUTCString();

const BASE: Record<string, string> = {
  date: http(NOW),
  etag: '"1"',
  'cache-control': 'max-age=300',
  'access-control-allow-origin': '*',
};

function unchanged(headers: Record<string, string>): Probe {
  const hop = { url: 'https://a.test/r.json', status: 304, headers: Object.entries(headers), address: null, tls: null };
  return { method: 'GET', origin: null, hops: [hop], failure: null, attempts: 1, retryAfterMs: 0 };
}

function documentWith(headers: Record<string, string>): DocumentFacts {
  const answer = unchanged(headers);
  const probe = { ...answer, hops: answer.hops.map((hop) => ({ ...hop, status: 200 })) };
  return {
    url: 'https://a.test/r.json',
    file: null,
    web: { server: probe, browser: [], preflight: probe, head: probe },
    content: { text: '{}', base64: null, bytes: 2, cut: false },
  };
}

const essence = (more: Record<string, string>, validator = '"1"'): string =>
  responseFingerprint(unchanged({ ...BASE, ...more }), validator, NOW);

describe('what is of the moment is no part of it', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['the date', {}, { date: http(NOW + 3_600_000) }],
    [
      'an end that moves with the date',
      { expires: http(NOW + 9000) },
      { date: http(NOW + 1000), expires: http(NOW + 10_000) },
    ],
    ['an age within the lifetime', { age: '1' }, { age: '299' }],
    [
      'any age beside max-age=0',
      { 'cache-control': 'max-age=0', age: '1' },
      { 'cache-control': 'max-age=0', age: '99999' },
    ],
    ['the number of the request', { 'x-request-id': '1', 'cf-ray': 'a' }, { 'x-request-id': '2', 'cf-ray': 'b' }],
    ['what is said of the connection', { 'keep-alive': 'timeout=5, max=100' }, { 'keep-alive': 'timeout=5, max=99' }],
  ])('%s', (_, one, other) => {
    expect(essence(one)).toBe(essence(other));
  });
});

describe('what says something of the document is', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['its lifetime', {}, { 'cache-control': 'max-age=60' }],
    ['who may read it', {}, { 'access-control-allow-origin': 'https://a.test' }],
    ['an end that moves nearer', { expires: http(NOW + 9000) }, { expires: http(NOW + 8000) }],
    ['an end that is no date', { expires: '0' }, { expires: '-1' }],
    ['an age beyond the lifetime', { age: '299' }, { age: '301' }],
    ['an age at all', {}, { age: '0' }],
    ['an age that is none', { age: '1' }, { age: 'old' }],
    ['another entity tag', {}, { etag: '"2"' }],
    ['a weaker entity tag', {}, { etag: 'W/"1"' }],
    ['a header that nobody knows', {}, { 'x-new': '1' }],
    ['a header that is gone', { via: '1.1 a' }, {}],
  ])('%s', (_, one, other) => {
    expect(essence(one)).not.toBe(essence(other));
  });

  test('the certificate, and where it was found', () => {
    const one = unchanged(BASE);
    const tls = { fingerprint256: 'AA', protocol: 'TLSv1.3' } as Probe['hops'][number]['tls'];
    const other = { ...one, hops: [{ ...one.hops[0]!, tls }] };
    const moved = { ...one, hops: [...one.hops, { ...one.hops[0]!, url: 'https://b.test/r.json' }] };
    expect(new Set([one, other, moved].map((probe) => responseFingerprint(probe, '"1"', NOW))).size).toBe(3);
  });
});

describe('a document as it may be later', () => {
  const LATER = 86_400_000;
  const later = (stored: Record<string, string>, fresh: Record<string, string>): Record<string, string> => {
    const { web } = atLaterTime(documentWith(stored), unchanged(fresh), NOW, LATER);
    return Object.fromEntries((web as { server: Probe }).server.hops.at(-1)!.headers);
  };

  test('has moments that moved on, the age that it may have, and other numbers', () => {
    const headers = { ...BASE, age: '7', expires: http(NOW + 9000), 'x-request-id': '1' };
    expect(later(headers, headers)).toEqual({
      ...BASE,
      age: '300',
      date: http(NOW + LATER),
      expires: http(NOW + 9000 + LATER),
      'x-request-id': 'another',
    });
  });

  test('keeps what the last answer did not bring', () => {
    const stored = { ...BASE, expires: http(NOW - 5000), 'last-modified': http(NOW - 9000) };
    expect(later(stored, { date: http(NOW), etag: '"1"' })).toEqual({ ...stored, date: http(NOW + LATER) });
  });

  test('is judged otherwise where a rule goes by the time that has gone by', () => {
    const stored = { etag: '"1"', date: http(NOW), 'last-modified': http(NOW - 40 * LATER) };
    const seen = {
      snapshot: 1 as const,
      target: '',
      seenAt: new Date(NOW).toISOString(),
      origins: [],
      apps: [],
      orphans: [],
    };
    const said = (manifest: DocumentFacts): string[] =>
      judge({ ...seen, manifest }, { command: 'verify' }).findings.map(({ message }) => message);
    const manifest = documentWith(stored);
    expect(said(atLaterTime(manifest, unchanged(stored), NOW, LATER))).not.toEqual(said(manifest));
    expect(said(atLaterTime(manifest, unchanged(stored), NOW, 0))).toEqual(said(manifest));
  });
});
