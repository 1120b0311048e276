import { describe, expect, test } from 'vitest';
import { signatureExpiry } from '../../../src/core/url/signed-url.ts';
import { redactInPlace } from '../../../src/core/text/text.ts';

// The test of url-signed-expiring covers the forms of each host.

const end = (query: string): { expiresAt: number; scheme: string } | null =>
  signatureExpiry(new URLSearchParams(query));

test('the end of a signature is in milliseconds since 1970', () => {
  expect(end('X-Amz-Date=20260101T000000Z&X-Amz-Expires=1&X-Amz-Signature=0')).toEqual({
    expiresAt: Date.UTC(2026, 0, 1, 0, 0, 1),
    scheme: 'AWS SigV4',
  });
  expect(end('md5=x&expires=1767225600')).toEqual({ expiresAt: Date.UTC(2026, 0, 1), scheme: 'Expires' });
  expect(end('Expires=1767225600&Signature=x')).toEqual({ expiresAt: Date.UTC(2026, 0, 1), scheme: 'Expires' });
});

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');
const inUrl = (text: string): string => text.replaceAll('+', '-').replaceAll('=', '_').replaceAll('/', '~');
const policy = (condition: object): string =>
  inUrl(base64({ Statement: [{ Resource: 'https://apps.example.com/a?>', Condition: condition }] }));

describe('signatures with a scheme of one host', () => {
  const expiresAt = Date.UTC(2026, 0, 1);
  test.each([
    ['x-oss-date=20251231T230000Z&x-oss-expires=3600&x-oss-signature=x', 'x-oss-expires'],
    ['X-Tos-Expires=3600&X-Tos-Signature=x&X-Tos-Date=20251231T230000Z', 'x-tos-expires'],
    [
      `Policy=${policy({ DateGreaterThan: { 'AWS:EpochTime': 1667225600 }, DateLessThan: { 'AWS:EpochTime': 1767225600 } })}&Signature=x&Key-Pair-Id=K`,
      'CloudFront policy',
    ],
    ['q-sign-time=1667225600;1767225600&q-signature=x', 'q-sign-time'],
  ])('have an end, also after redaction: %s', (query, scheme) => {
    expect(end(query)).toEqual({ expiresAt, scheme });
    // Saved facts are judged with the same answer.
    expect(end(redactInPlace(`?${query}`))).toEqual({ expiresAt, scheme });
    expect(end(new URL(redactInPlace(new URL(`https://a.test/?${query}`).href)).search)).toEqual({ expiresAt, scheme });
  });

  test.each([
    'x-oss-date=20251231T230000Z&x-oss-expires=3600',
    'policy=none&signature=x',
    'policy=%%%&signature=x',
    'q-sign-time=1767225600&q-signature=x',
  ])('have no end if incomplete: %s', (query) => {
    expect(end(query)).toBe(null);
  });
});

test.each([
  '',
  'a=b',
  'Expires=1767225600',
  'se=2026-01-01',
  'Signature=x',
  'Expires=&Signature=x',
  'Expires=12&Signature=x',
  'Expires=-1767225600&Signature=x',
  'se=tomorrow&sig=x',
  'X-Amz-Date=2026&X-Amz-Expires=1&X-Amz-Signature=0',
  'X-Amz-Date=20260101T000000Z&X-Amz-Expires=1e9&X-Amz-Signature=0',
  'X-Amz-Date=20260101T000000Z&X-Amz-Signature=0',
  'Expires=99999999999999&Signature=x',
])('a query without a complete signature has no end: %j', (query) => {
  expect(end(query)).toBe(null);
});

test('the end of a signature does not depend on the time zone', () => {
  const zone = process.env['TZ'];
  try {
    for (const name of ['Asia/Tokyo', 'America/Los_Angeles', 'UTC']) {
      process.env['TZ'] = name;
      expect(end('se=2026-01-01T00:00:00&sig=x')?.expiresAt, name).toBe(Date.UTC(2026, 0, 1));
      expect(end('se=2026-01-01T09:00:00%2B09:00&sig=x')?.expiresAt, name).toBe(Date.UTC(2026, 0, 1));
    }
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});
