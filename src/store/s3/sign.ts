import { createHash, createHmac } from 'node:crypto';
import { type Bytes, sha256Of } from '../bytes.ts';
import type { Credentials } from './credentials.ts';

/** Signature version 4: Amazon's, which most object stores adopted, and Google's, which differs only in its names. */
export interface Dialect {
  algorithm: string;
  key: string;
  service: string;
  end: string;
  /** The prefix of this dialect's headers. */
  prefix: string;
}

export const AMAZON: Dialect = {
  algorithm: 'AWS4-HMAC-SHA256',
  key: 'AWS4',
  service: 's3',
  end: 'aws4_request',
  prefix: 'x-amz-',
};
/** Google accepts Amazon's dialect too, but then rejects all of its own headers, such as conditions by generation. */
export const GOOGLE: Dialect = {
  algorithm: 'GOOG4-HMAC-SHA256',
  key: 'GOOG4',
  service: 'storage',
  end: 'goog4_request',
  prefix: 'x-goog-',
};

export interface Unsigned {
  method: string;
  /** Its path encoded by `encodeSegment`, its query built by `queryOf`. */
  url: URL;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Bytes | null;
  region: string;
}

/** The headers of a request with its signature; all of them are signed. */
export function signed(
  { method, url, headers, body, region }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  { algorithm, key, service, end, prefix }: Dialect,
  now: Date = new Date(),
): Record<string, string> {
  const time = now.toISOString().replace(/[:-]|\.\d+/g, '');
  const date = time.slice(0, 8);
  const sent: Record<string, string> = {
    ...headers,
    [`${prefix}content-sha256`]: body === null ? sha256('') : sha256Of(body),
    [`${prefix}date`]: time,
    ...(sessionToken === undefined ? {} : { [`${prefix}security-token`]: sessionToken }),
  };
  const lines = Object.entries({ ...sent, host: url.host }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = lines.map(([name]) => name).join(';');
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    ...lines.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sent[`${prefix}content-sha256`],
  ].join('\n');
  const scope = [date, region, service, end].join('/');
  const toSign = [algorithm, time, scope, sha256(canonical)].join('\n');
  let secret: string | Buffer = `${key}${secretAccessKey}`;
  for (const part of [date, region, service, end]) secret = hmac(secret, part);
  const signature = hmac(secret, toSign).toString('hex');
  const authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...sent, authorization };
}

/** A query in its canonical form: sorted by name, everything encoded that is not unreserved. */
export function queryOf(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${encodeSegment(name)}=${encodeSegment(value)}`);
  return pairs.toSorted().join('&');
}

/** A path segment in its canonical form: everything encoded that is not unreserved. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
