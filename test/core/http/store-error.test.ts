import { expect, test } from 'vitest';
import { urlInOtherRegion } from '../../../src/core/http/store-error.ts';

const moved = (endpoint: string, bucket = 'b-1', code = 'PermanentRedirect') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Endpoint>${endpoint}</Endpoint><Bucket>${bucket}</Bucket></Error>`;
const of = (url: string, excerpt: string, headers: [string, string][] = []) =>
  urlInOtherRegion({ url, headers, excerpt })?.url;

test.each([
  [
    'https://b-1.s3.amazonaws.com/x/r.json?a=1',
    moved('b-1.s3.eu-west-1.amazonaws.com'),
    'https://b-1.s3.eu-west-1.amazonaws.com/x/r.json?a=1',
  ],
  [
    'https://s3.amazonaws.com/b-1/x/r.json',
    moved('b-1.s3.eu-west-1.amazonaws.com'),
    'https://b-1.s3.eu-west-1.amazonaws.com/x/r.json',
  ],
  [
    'https://s3.amazonaws.com/b-1/r.json',
    moved('s3.eu-west-1.amazonaws.com'),
    'https://b-1.s3.eu-west-1.amazonaws.com/r.json',
  ],
  [
    'http://b-1.s3.amazonaws.com/r.json',
    moved('b-1.s3-eu-west-1.amazonaws.com'),
    'https://b-1.s3-eu-west-1.amazonaws.com/r.json',
  ],
  [
    'https://s3.amazonaws.com/b.dots/r.json',
    moved('s3.eu-west-1.amazonaws.com', 'b.dots'),
    'https://s3.eu-west-1.amazonaws.com/b.dots/r.json',
  ],
])('%s', (url, excerpt, expected) => {
  expect(of(url, excerpt)).toBe(expected);
});

test('the region of the header is used without an endpoint', () => {
  const excerpt = '<Error><Code>PermanentRedirect</Code></Error>';
  const headers: [string, string][] = [['x-amz-bucket-region', 'eu-central-1']];
  expect(of('https://b-1.s3.amazonaws.com/r.json', excerpt, headers)).toBe(
    'https://b-1.s3.eu-central-1.amazonaws.com/r.json',
  );
});

test.each([
  'localhost',
  '127.0.0.1',
  '-x.test',
  'evil.test:8080',
  'a..b',
  `${'a'.repeat(64)}.test`,
  'x.localhost',
  'single',
])('the endpoint %s is not used', (endpoint) => {
  expect(of('https://b-1.example.com/r.json', moved(endpoint)) ?? null).toBeNull();
});

test('other errors name no other region', () => {
  expect(
    urlInOtherRegion({
      url: 'https://b.s3.amazonaws.com/x',
      headers: [],
      excerpt: moved('x.test', 'b', 'AccessDenied'),
    }),
  ).toBeNull();
});
