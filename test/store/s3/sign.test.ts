import { createHash, createHmac } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { describe, expect, test } from 'vitest';
import { AMAZON, encodeSegment, GOOGLE, signed } from '../../../src/store/s3/sign.ts';

const KEYS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const NOW = new Date('2013-05-24T00:00:00Z');

describe('signatures for Amazon', () => {
  test('match Amazon’s own examples', () => {
    const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
    const get = { method: 'GET', url, headers: { range: 'bytes=0-9' }, body: null, region: 'us-east-1' };
    expect(signed(get, KEYS, AMAZON, NOW)['authorization']).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
    const put = {
      method: 'PUT',
      url: new URL(`https://examplebucket.s3.amazonaws.com/${encodeSegment('test$file.text')}`),
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      body: Buffer.from('Welcome to Amazon S3.'),
      region: 'us-east-1',
    };
    expect(signed(put, KEYS, AMAZON, NOW)['authorization']).toContain(
      'Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    );
  });

  test.each([
    { path: 'a/1.0.0+build.tar.gz', text: null, sessionToken: undefined },
    { path: "it's (a) file!*.json", text: 'text', sessionToken: undefined },
    { path: 'größe/名前 x.json', text: 'text', sessionToken: 'a/session+token==' },
    { path: 'a%20b/~x_y.z-1', text: '', sessionToken: 'token' },
  ])('match those of another signer: $path', async ({ path, text, sessionToken }) => {
    const url = new URL(`http://h.test:8080/bucket/${path.split('/').map(encodeSegment).join('/')}`);
    const body = text === null ? null : Buffer.from(text);
    const headers = { 'content-type': 'application/json', 'if-none-match': '*', 'x-amz-meta-a': ' two  spaces ' };
    const keys = { ...KEYS, ...(sessionToken === undefined ? {} : { sessionToken }) };
    const ours = signed({ method: 'PUT', url, headers, body, region: 'auto' }, keys, AMAZON, NOW);
    const theirs = await new AwsV4Signer({
      method: 'PUT',
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': ours['x-amz-content-sha256']! },
      service: 's3',
      region: 'auto',
      datetime: '20130524T000000Z',
      allHeaders: true,
      ...keys,
    }).sign();
    expect(ours['authorization']).toBe(theirs.headers.get('authorization'));
  });
});

test('signatures for Google use only headers and scopes of Google', () => {
  const url = new URL('https://storage.googleapis.com/b/a%2Bb.json');
  const headers = { 'x-goog-if-generation-match': '0' };
  const ours = signed({ method: 'GET', url, headers, body: null, region: 'auto' }, KEYS, GOOGLE, NOW);
  expect(Object.keys(ours).filter((name) => name.startsWith('x-amz-'))).toEqual([]);
  const canonical = `GET\n/b/a%2Bb.json\n\nhost:storage.googleapis.com\nx-goog-content-sha256:${sha256('')}\nx-goog-date:20130524T000000Z\nx-goog-if-generation-match:0\n\nhost;x-goog-content-sha256;x-goog-date;x-goog-if-generation-match\n${sha256('')}`;
  const scope = '20130524/auto/storage/goog4_request';
  const toSign = `GOOG4-HMAC-SHA256\n20130524T000000Z\n${scope}\n${sha256(canonical)}`;
  let key: Buffer | string = `GOOG4${KEYS.secretAccessKey}`;
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  expect(ours['authorization']).toBe(
    `GOOG4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/${scope}, SignedHeaders=host;x-goog-content-sha256;x-goog-date;x-goog-if-generation-match, Signature=${signature}`,
  );
});
