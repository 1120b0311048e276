import { describe, expect, test } from 'vitest';
import type { DocumentFacts, Probe } from '../../../src/core/facts/facts.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import { atLaterTime, responseFingerprint } from '../../src/refresh/response-fingerprint.ts';

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

const fingerprintOf = (more: Record<string, string>, validator = '"1"'): string =>
  responseFingerprint(unchanged({ ...BASE, ...more }), validator, NOW);

describe('the fingerprint of a response ignores', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['the date', {}, { date: http(NOW + 3_600_000) }],
    [
      'an Expires header that moves with the date',
      { expires: http(NOW + 9000) },
      { date: http(NOW + 1000), expires: http(NOW + 10_000) },
    ],
    ['an age within the lifetime', { age: '1' }, { age: '299' }],
    [
      'any age with max-age=0',
      { 'cache-control': 'max-age=0', age: '1' },
      { 'cache-control': 'max-age=0', age: '99999' },
    ],
    ['the ids of the request', { 'x-request-id': '1', 'cf-ray': 'a' }, { 'x-request-id': '2', 'cf-ray': 'b' }],
    ['connection parameters', { 'keep-alive': 'timeout=5, max=100' }, { 'keep-alive': 'timeout=5, max=99' }],
  ])('%s', (_, one, other) => {
    expect(fingerprintOf(one)).toBe(fingerprintOf(other));
  });
});

describe('the fingerprint of a response includes', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['its lifetime', {}, { 'cache-control': 'max-age=60' }],
    ['its CORS headers', {}, { 'access-control-allow-origin': 'https://a.test' }],
    ['an Expires header that moves closer', { expires: http(NOW + 9000) }, { expires: http(NOW + 8000) }],
    ['an invalid Expires header', { expires: '0' }, { expires: '-1' }],
    ['an age beyond the lifetime', { age: '299' }, { age: '301' }],
    ['the presence of an age', {}, { age: '0' }],
    ['an invalid age', { age: '1' }, { age: 'old' }],
    ['its ETag', {}, { etag: '"2"' }],
    ['whether its ETag is weak', {}, { etag: 'W/"1"' }],
    ['an unknown header', {}, { 'x-new': '1' }],
    ['the absence of a header', { via: '1.1 a' }, {}],
  ])('%s', (_, one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
  });

  test('the certificate, and the URL after redirects', () => {
    const one = unchanged(BASE);
    const tls = { fingerprint256: 'AA', protocol: 'TLSv1.3' } as Probe['hops'][number]['tls'];
    const other = { ...one, hops: [{ ...one.hops[0]!, tls }] };
    const moved = { ...one, hops: [...one.hops, { ...one.hops[0]!, url: 'https://b.test/r.json' }] };
    expect(new Set([one, other, moved].map((probe) => responseFingerprint(probe, '"1"', NOW))).size).toBe(3);
  });
});

describe('a document at a later time', () => {
  const LATER = 86_400_000;
  const later = (stored: Record<string, string>, fresh: Record<string, string>): Record<string, string> => {
    const { web } = atLaterTime(documentWith(stored), unchanged(fresh), NOW, LATER);
    return Object.fromEntries((web as { server: Probe }).server.hops.at(-1)!.headers);
  };

  test('has later dates, the maximum age, and other request ids', () => {
    const headers = { ...BASE, age: '7', expires: http(NOW + 9000), 'x-request-id': '1' };
    expect(later(headers, headers)).toEqual({
      ...BASE,
      age: '300',
      date: http(NOW + LATER),
      expires: http(NOW + 9000 + LATER),
      'x-request-id': 'another',
    });
  });

  test('preserves headers that the last response did not contain', () => {
    const stored = { ...BASE, expires: http(NOW - 5000), 'last-modified': http(NOW - 9000) };
    expect(later(stored, { date: http(NOW), etag: '"1"' })).toEqual({ ...stored, date: http(NOW + LATER) });
  });

  test('is judged differently by rules that depend on the elapsed time', () => {
    const stored = { etag: '"1"', date: http(NOW), 'last-modified': http(NOW - 40 * LATER) };
    const seen = {
      snapshot: 1 as const,
      target: '',
      seenAt: new Date(NOW).toISOString(),
      origins: [],
      apps: [],
      orphans: [],
    };
    const messagesOf = (manifest: DocumentFacts): string[] =>
      judge({ ...seen, manifest }, { command: 'verify' }).findings.map(({ message }) => message);
    const manifest = documentWith(stored);
    expect(messagesOf(atLaterTime(manifest, unchanged(stored), NOW, LATER))).not.toEqual(messagesOf(manifest));
    expect(messagesOf(atLaterTime(manifest, unchanged(stored), NOW, 0))).toEqual(messagesOf(manifest));
  });
});
