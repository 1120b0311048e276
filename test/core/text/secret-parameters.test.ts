import { describe, expect, test } from 'vitest';
import { redact, redactInPlace } from '../../../src/core/text/text.ts';
import { secretsOf } from '../../../src/core/url/secrets.ts';

/** The parameters that are secret by their name or form, and those that are not, however random they are. */

const HEX = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const RANDOM = 'Zk3vQ81nTz5LxYw0Rb7uPc2H';
const GITHUB = `ghp_${'a1B2'.repeat(9)}`;
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${RANDOM}`;

const SECRET = [
  'token',
  'access_token',
  'accessToken',
  'X-Auth-Token',
  'private_token',
  'job-token',
  'token2',
  'sas_token',
  'secret',
  'client_secret',
  'password',
  'passwd',
  'pwd',
  'pass',
  'passphrase',
  'credential',
  'bearer',
  'api_key',
  'apikey',
  'apiKey',
  'x-api-key',
  'subscription-key',
  'AWSAccessKeyId',
  'Key-Pair-Id',
  'signing_key',
  'sig',
  'signature',
  'X-Amz-Signature',
  'x-goog-signature',
  'hmac',
  'jwt',
  'auth',
  'Authorization',
  '%74oken',
].map((name) => ['by its name', `${name}=abc123`, 'abc123'] as const);

const SECRET_FORMS: [why: string, parameter: string, secret: string][] = [
  ['a token of GitHub', `ref=${GITHUB}`, GITHUB],
  ['a token of npm', `x=npm_${'a1B2'.repeat(9)}`, 'npm_'],
  ['a JSON Web Token', `state=${JWT}`, JWT],
  ['a key of AWS', 'user=AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
  ['a long value of a name that is also used otherwise', `code=${RANDOM}`, RANDOM],
  ['a signature of imgix', `w=64&s=${HEX.slice(0, 32)}`, HEX.slice(0, 32)],
  ['a digest over an expiry', `md5=${HEX}&expires=1767225600`, HEX],
  ['a random value beside an expiry', `x=${RANDOM}&expires=1767225600`, RANDOM],
  ['a URL with a token', `url=https%3A%2F%2Fi.test%2F%3Ftoken%3Dabc123`, 'abc123'],
  ['a URL with a token, encoded twice', `url=https%253A%252F%252Fi.test%252F%253Ftoken%253Dabc123`, 'abc123'],
  ['a URL with a password', `url=https%3A%2F%2Fjoe%3Aabc123%40i.test%2F`, 'abc123'],
  ['a parameter behind an entity', 'a=1&amp;token=abc123', 'abc123'],
  ['a parameter behind an escape of JSON', 'a=1\\u0026token=abc123', 'abc123'],
];

const PLAIN = [
  'channel=stable',
  'branch=main',
  'lang=de',
  'itemName=acme.flows',
  'utm_source=newsletter',
  'utm_campaign=a',
  'v=1.2.3',
  'page=2',
  'pageToken=abc',
  'keyword=x',
  'author=joe',
  'authuser=0',
  'sort_key=name',
  'key=apps/a.json',
  'token_type=code',
  'design=flat',
  'cache_key=abc',
  'session=2026',
  'code=404',
  'sign=leo',
  's=200',
  'x-id=GetObject',
  `hash=${HEX}`,
  `sha256=${HEX}`,
  `digest=sha256:${HEX}`,
  `v=${HEX}`,
  `md5=${HEX.slice(0, 32)}`,
  `rev=${HEX.slice(0, 40)}`,
  `cb=${RANDOM}`,
  `etag=${RANDOM}`,
  `cachebust=${HEX}`,
  `id=0f8fad5b-d9cb-469f-a165-70867728950e`,
  HEX.slice(0, 32),
  HEX,
  'url=https%3A%2F%2Fi.test%2F%3Fchannel%3Dstable',
  'redirect=https%3A%2F%2Fi.test%2Fa%26b%3Dc',
  'channel=stable&utm_source=a&lang=en#top',
  'X-Amz-Date=20260101T000000Z&X-Amz-Expires=60&channel=beta',
];

describe('a secret of a query is hidden', () => {
  test.each([...SECRET, ...SECRET_FORMS])('%s: %s', (_, parameter, secret) => {
    for (const url of [
      `https://h.test/a?${parameter}`,
      `https://h.test/a?x=1&${parameter}&y=2`,
      `https://h.test/#${parameter}`,
    ]) {
      const text = redact(url);
      expect(text).not.toContain(secret);
      expect(text).toContain('REDACTED');
      expect(redact(text)).toBe(text);
      expect(redactInPlace(url)).not.toContain(secret);
      expect(redactInPlace(url)).toHaveLength(url.length);
      expect(redact(redactInPlace(url))).toBe(text);
      expect(redact(JSON.stringify({ url }))).not.toContain(secret);
    }
  });
});

describe('what is no secret is shown', () => {
  test.each(PLAIN)('%s', (parameter) => {
    for (const url of [`https://h.test/a?${parameter}`, `See https://h.test/a?x=1&${parameter}.`]) {
      expect(redact(url)).toBe(url);
      expect(redactInPlace(url)).toBe(url);
      expect(secretsOf(url)).toEqual([]);
    }
  });
});

test('a token with the prefix of its service is hidden anywhere in a text', () => {
  expect(redact(`Invalid token ${GITHUB}, sent to /a/${GITHUB}/b`)).toBe(
    'Invalid token REDACTED, sent to /a/REDACTED/b',
  );
});
