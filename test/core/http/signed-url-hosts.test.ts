import { describe, expect, test } from 'vitest';
import { urlExpiry, withoutSignature } from '../../../src/core/url/signed-url.ts';
import { redact, redactInPlace } from '../../../src/core/text/text.ts';
import { secretsOf } from '../../../src/core/url/secrets.ts';

/** Signed URLs of each host: the expiry time is found, also in redacted facts, and what authorizes is redacted. */

const AT = Date.UTC(2027, 0, 1);
const S = AT / 1000;
const SECRET = '5ec7e7c0ffee5ec7e7c0ffee5ec7e7c0';
/** A token without a name; hexadecimal, it would be a key for caches. */
const NAMELESS = 'Zk3vQ81nTz5LxYw0Rb7uPc2Hd9MgAe4S';
const base64url = (value: object | string): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const jwt = (claims: object): string => `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}.${SECRET}`;
const policy = Buffer.from(
  JSON.stringify({ Statement: [{ Resource: '*', Condition: { DateLessThan: { 'AWS:EpochTime': S } } }] }),
)
  .toString('base64')
  .replaceAll('+', '-')
  .replaceAll('=', '_')
  .replaceAll('/', '~');

const EXPIRING: readonly [host: string, query: string][] = [
  ['Akamai', `hdnts=exp=${S}~acl=/*~hmac=${SECRET}`],
  ['Akamai, with a start', `hdnea=st=${S - 60}~exp=${S}~acl=/apps/*!/icons/*~data=x~hmac=${SECRET}`],
  ['Akamai, another name', `__token__=ip=192.0.2.1~exp=${S}~url=/a~hmac=${SECRET}`],
  ['Akamai, percent-encoded', `hdnts=exp%3D${S}%7Eacl%3D%2F*%7Ehmac%3D${SECRET}`],
  ['Akamai, older', `__gda__=${S}_${SECRET}`],
  ['Media CDN', `Edge-Cache-Token=URLPrefix=aHR0cHM~Expires=${S}~KeyName=k~Signature=${SECRET}`],
  ['Supabase', `token=${jwt({ url: 'apps/echo.tar.gz', iat: S - 60, exp: S })}`],
  ['a JWT of another name, in full', `download=1&jwt=${jwt({ exp: S, sub: 'a'.repeat(50) })}`],
  ['SharePoint', `tempauth=v1.${jwt({ exp: S })}`],
  ['Azure', `sv=2022-11-02&st=2026-01-01T00%3A00%3A00Z&se=2027-01-01T00%3A00%3A00Z&sr=b&sp=r&spr=https&sig=${SECRET}`],
  [
    'Azure, with a delegation key that expires first',
    `se=2028-01-01&ske=2027-01-01T00:00:00Z&skv=2022-11-02&sig=${SECRET}`,
  ],
  ['CloudFront', `Expires=${S}&Signature=${SECRET}&Key-Pair-Id=${SECRET}`],
  ['CloudFront, a policy', `Policy=${policy}&Signature=${SECRET}&Key-Pair-Id=${SECRET}`],
  ['S3, the older signature', `AWSAccessKeyId=${SECRET}&Expires=${S}&Signature=${SECRET}`],
  [
    'S3',
    `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${SECRET}%2F20261231%2Fauto%2Fs3%2Faws4_request&X-Amz-Date=20261231T230000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature=${SECRET}`,
  ],
  [
    'S3, a session',
    `X-Amz-Security-Token=${SECRET}&X-Amz-Date=20261231T230000Z&X-Amz-Expires=3600&X-Amz-Signature=${SECRET}`,
  ],
  [
    'SigV4a',
    `X-Amz-Algorithm=AWS4-ECDSA-P256-SHA256&X-Amz-Region-Set=*&X-Amz-Date=20261231T230000Z&X-Amz-Expires=3600&X-Amz-Signature=${SECRET}`,
  ],
  ['SigV4 in lower case', `x-amz-date=20261231T230000Z&x-amz-expires=3600&x-amz-signature=${SECRET}`],
  [
    'Google V4',
    `X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=${SECRET}&X-Goog-Date=20261231T230000Z&X-Goog-Expires=3600&X-Goog-SignedHeaders=host&X-Goog-Signature=${SECRET}`,
  ],
  ['Google V2', `GoogleAccessId=${SECRET}&Expires=${S}&Signature=${SECRET}`],
  ['Cloud CDN', `Expires=${S}&KeyName=my-key&Signature=${SECRET}`],
  ['Cloud CDN, a prefix', `URLPrefix=aHR0cHM6Ly9hLnRlc3Qv&Expires=${S}&KeyName=k&Signature=${SECRET}`],
  ['Alibaba OSS', `OSSAccessKeyId=${SECRET}&Expires=${S}&Signature=${SECRET}`],
  [
    'Alibaba OSS, version 4',
    `x-oss-date=20261231T230000Z&x-oss-expires=3600&x-oss-credential=${SECRET}&x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-signature=${SECRET}`,
  ],
  [
    'Tencent COS',
    `q-sign-algorithm=sha1&q-ak=${SECRET}&q-sign-time=${S - 60};${S}&q-key-time=1;2&q-signature=${SECRET}`,
  ],
  ['BunnyCDN', `token=HS256-${SECRET}&expires=${S}`],
  ['BunnyCDN, a folder', `bcdn_token=${SECRET}&expires=${S}&token_path=%2Fapps%2F`],
  ['Cloudflare Images', `exp=${S}&sig=${SECRET}`],
  ['Cloudflare', `verify=${S - 60}-${SECRET}&exp=${S}`],
  ['Fastly', `token=${S}_${SECRET}`],
  ['imgix', `w=64&expires=${S}&s=${SECRET}`],
  ['Edgio', `e=${S}&h=${SECRET}`],
  ['KeyCDN', `token=${SECRET}&expire=${S}`],
  ['CDN77', `secure=${SECRET},${S}`],
  ['nginx', `st=${SECRET}&e=${S}`],
  ['nginx, as documented', `md5=${SECRET}&expires=${S}`],
  ['Qiniu', `e=${S}&token=${SECRET}:abc`],
  ['Discord', `ex=${S.toString(16)}&is=${(S - 60).toString(16)}&hm=${SECRET}`],
  ['milliseconds', `mac=${SECRET}&expiry=${AT}`],
];

describe('the expiry of a signed URL', () => {
  test.each(EXPIRING)('of %s is found, also in redacted facts, and its secrets are redacted', (_, query) => {
    const url = `https://cdn.test/apps/echo.tar.gz?${query}`;
    expect(expiryOf(url)).toBe(AT);
    for (const hidden of [redact(url), redactInPlace(url), redact(JSON.stringify({ url })), redactInPlace(url)])
      expect(hidden).not.toContain(SECRET.slice(0, 12));
    expect(redactInPlace(url)).toHaveLength(url.length);
    expect(redact(redactInPlace(url))).toBe(redact(url));
    expect(expiryOf(redactInPlace(url))).toBe(AT);
    expect(expiryOf(redactInPlace(new URL(url).href))).toBe(AT);
    expect(JSON.parse(redactInPlace(JSON.stringify({ url })))).toEqual({ url: redactInPlace(url) });
    expect(secretsOf(url).some((secret) => secret.includes(SECRET))).toBe(true);
    expect(withoutSignature(url)).not.toContain(SECRET);
    expect(withoutSignature(url)).not.toContain(String(S));
  });

  test.each([
    ['Firebase', `alt=media&token=0f8fad5b-d9cb-469f-a165-70867728950e`],
    ['Backblaze', `Authorization=${SECRET}`],
    ['Cloudflare without an expiry', `verify=${S}-${SECRET}`],
    ['a JWT without exp', `token=${jwt({ sub: 'a', iat: S })}`],
    ['a JWT that is not JSON', `token=eyJhbGciOiJIUzI1NiJ9.eyJ%%%.${SECRET}`],
    ['a JWT with a text as exp', `token=${jwt({ exp: 'tomorrow' })}`],
    ['a JWT with exp beyond the range of dates', `token=${jwt({ exp: 1e300 })}`],
    ['an empty payload', `token=eyJhbGciOiJIUzI1NiJ9..${SECRET}`],
    ['fields without exp', `hdnts=acl=/*~hmac=${SECRET}`],
    ['fields with an invalid exp', `hdnts=exp=never~acl=/*~hmac=${SECRET}`],
    ['an expiry without a signature', `exp=${S}`],
    ['a short word beside e', `e=${S}&s=large`],
    ['an expiry beyond the range of dates', `expires=99999999999999&token=${SECRET}`],
    ['an invalid date', `se=2026-99-99&sig=${SECRET}`],
    ['an invalid hexadecimal time', `ex=zzzzzzzz&hm=${SECRET}`],
    ['a policy that is not base64', `Policy=eyJTdGF0ZW1lbnQi%%&Signature=${SECRET}`],
    ['no value', 'hdnts=&token=&Expires='],
  ])('is absent: %s', (_, query) => {
    const url = `https://cdn.test/apps/echo.tar.gz?${query}`;
    expect(expiryOf(url)).toBe(null);
    expect(redact(url)).not.toContain(SECRET);
    expect(redactInPlace(url)).not.toContain(SECRET);
    expect(redactInPlace(url)).toHaveLength(url.length);
  });

  test('is the earliest of several', () => {
    expect(expiryOf(`https://cdn.test/a?Expires=${S + 60}&Signature=x&jwt=${jwt({ exp: S })}`)).toBe(AT);
  });
});

test.each([
  `https://cdn.test/bcdn_token=${SECRET}&expires=${S}&token_path=%2F/echo.tar.gz`,
  `https://cdn.test/bcdn_token=${SECRET}&token_path=%2F&expires=${S}/apps/echo.tar.gz`,
  `https://cdn.test/hdnts=exp=${S}~acl=/*~hmac=${SECRET}/echo.tar.gz`,
  `https://cdn.test/hdntl=st=${S - 60}~exp=${S}~acl=%2f*~hmac=${SECRET}/echo.tar.gz`,
  `https://cdn.test/apps/exp=${S}~acl=%2f*~hmac=${SECRET}/echo.tar.gz`,
  `https://cdn.test/Edge-Cache-Token=URLPrefix=aHR0~Expires=${S}~KeyName=k~Signature=${SECRET}/echo.tar.gz`,
  `https://cdn.test/t/${jwt({ exp: S })}/echo.tar.gz`,
  `https://cdn.test/echo.tar.gz?vercel-blob-expires=${S}&vercel-blob-signature=${SECRET}`,
  `https://cdn.test/echo.tar.gz?Expires=${S}&X-Cdn-Signature=${SECRET}`,
])('a token in the path, or of any vendor, has its expiry, which redacted facts keep: %s', (url) => {
  expect(expiryOf(url)).toBe(AT);
  expect(redact(url)).not.toContain(SECRET);
  expect(redactInPlace(url)).not.toContain(SECRET);
  expect(redactInPlace(url)).toHaveLength(url.length);
  expect(expiryOf(redactInPlace(url))).toBe(AT);
});

test.each([
  'https://cdn.test/expires=never/echo.tar.gz',
  `https://cdn.test/apps/expires=${S}/echo.tar.gz`,
  `https://cdn.test/apps/a=1&expires=${S}/echo.tar.gz`,
  'https://cdn.test/eyJhbGciOiJub25lIn0/echo.tar.gz',
  `https://cdn.test/echo.tar.gz?build-expires=${S}`,
])('a path without a signature has no expiry: %s', (url) => {
  expect(expiryOf(url)).toBe(null);
});

test.each([
  `https://cdn.test/bcdn_token=${SECRET}&expires=${S}&token_path=%2F/echo.tar.gz`,
  `https://cdn.test/hdnts=exp=${S}~acl=/*~hmac=${SECRET}/echo.tar.gz`,
  `https://cdn.test/echo.tar.gz?${NAMELESS}`,
  `see https://cdn.test/echo.tar.gz?${NAMELESS} there`,
])('a token in the path or without a name is redacted: %s', (url) => {
  for (const secret of [SECRET, NAMELESS]) {
    expect(redact(url)).not.toContain(secret);
    expect(redactInPlace(url)).not.toContain(secret);
  }
  expect(redact(redactInPlace(url))).toBe(redact(url));
});

test('only the expiry is kept of the claims of a JWT', () => {
  const url = `https://cdn.test/a?token=${jwt({ exp: S, email: 'a@example.com' })}`;
  const payload = /\.([\w-]+)\./.exec(redactInPlace(url).split('token=')[1] ?? '')?.[1] ?? '';
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({ exp: S });
});

function expiryOf(url: string): number | null {
  return urlExpiry(new URL(url))?.expiresAt ?? null;
}
