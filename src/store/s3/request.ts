import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { printable, redact, shorten } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import { parseUrl } from '../../core/http/url.ts';
import type { Bytes } from '../bytes.ts';
import { NOTHING_CHANGED } from '../directory/disk-error.ts';
import { failpoint } from '../failpoint.ts';
import { interrupted, stopping, stopRequested } from '../interrupt.ts';
import { type Credentials, findCredentials, profileSettings } from './credentials.ts';
import { AMAZON, encodeSegment, GOOGLE, queryOf, signed } from './sign.ts';
import { openWeb, type WebProxyFor } from './web.ts';

/** Signed requests to an S3-compatible object store. */

export interface S3Place {
  bucket: string;
  /** Prepended to every path; '' for none. */
  prefix: string;
  region: string | null;
  /** The store's address if it is not Amazon's; the bucket is then the first part of the path. */
  endpoint: string | null;
  /** True for a store with Google's dialect (default: by its address). */
  google?: boolean;
}

export interface S3Answer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Buffer;
  /** The code of an error, such as `NoSuchKey`; '' if there is none. */
  code: string;
  /** True if an earlier attempt got no clear response, so that it may have been carried out. */
  uncertain: boolean;
}

interface S3Details {
  headers?: Record<string, string>;
  body?: Bytes;
  /** Creates, for each attempt, the consumer of a response body with a status below 300. */
  sink?: () => (chunk: Uint8Array) => void;
  /** True for one short check after a stop was requested. */
  isLastLook?: boolean;
}

export type S3Request = (method: 'GET' | 'PUT', path: string, details?: S3Details) => Promise<S3Answer>;

/** The requests to one place in a store. */
export interface S3Requests {
  request: S3Request;
  /** Requests the bucket itself; the paths in `query` are not prefixed. */
  list(query: Readonly<Record<string, string>>): Promise<S3Answer>;
  /** Whether the store uses Google's dialect. */
  google: boolean;
  /** A digest of the endpoint, bucket, prefix, region and the id of the credentials; it contains no secret. */
  identity(): Promise<string>;
}

const ATTEMPTS = 6;
/** Milliseconds for one file, however large and however slow the connection. */
const TIMEOUT = 3_600_000;
/** Milliseconds: a write in progress when a stop is requested may take this long. */
const GRACE = 4_000;
/** Milliseconds for a check of what is stored, after a stop. */
const LAST_LOOK = 3_000;
/** Codes of a 4xx that ask for a later retry. */
const PASSING = new Set(['SlowDown', 'RequestTimeout', 'ConditionalRequestConflict', 'OperationAborted']);

/**
 * @throws AppregError `s3-endpoint-invalid`; requests throw AppregError for errors that a retry would not fix, other responses
 * are returned, whatever their status
 */
export function openRequests(place: S3Place, env: NodeJS.ProcessEnv, proxyFor?: WebProxyFor): S3Requests {
  const profile = profileSettings(env);
  const named = place.endpoint ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'] ?? profile.endpoint;
  const endpoint = named === null ? null : checked(named);
  const google = place.google ?? (endpoint !== null && /(^|\.)storage\.googleapis\.com$/.test(endpoint.hostname));
  const usual = google ? 'auto' : 'us-east-1';
  const region = place.region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? profile.region ?? usual;
  const base = baseOf(place, endpoint, region);
  const web = openWeb(proxyFor);
  let credentials: Promise<Credentials> | null = null;
  let secrets: string[] = [];
  /** A server's message, without the secrets that were sent to it. */
  const discreet = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, 'REDACTED'), redact(text));

  const findKeys = (): Promise<Credentials> => (credentials ??= findCredentials(env, region, web));

  async function once(method: 'GET' | 'PUT', url: URL, { headers = {}, body, sink }: S3Details, signal: AbortSignal) {
    const known = await findKeys();
    secrets = [known.secretAccessKey, known.sessionToken ?? ''].filter((secret) => secret !== '');
    const sent = signed({ method, url, headers, body: body ?? null, region }, known, google ? GOOGLE : AMAZON);
    return web(url, { method, headers: sent, body: body ?? null, sink: sink?.() ?? null, timeout: TIMEOUT, signal });
  }

  async function ask(method: 'GET' | 'PUT', url: URL, what: string, details: S3Details): Promise<S3Answer> {
    const { isLastLook = false } = details;
    let uncertain = false;
    const stop = stopFor(method, isLastLook);
    for (let attempt = 1; ; attempt++) {
      let trouble: unknown;
      if (stopRequested() !== null && !isLastLook) throw stopped(uncertain);
      try {
        if (method === 'PUT') failpoint('before-send');
        const { status, headers: answered, bytes } = await once(method, url, details, stop);
        if (method === 'PUT') failpoint('after-send');
        const code = status >= 300 ? codeIn(bytes) : '';
        if (!isPassing(status, code)) {
          const isAnswer = status < 300 || status === 404 || status === 412 || status === 409;
          if (isAnswer && code !== 'NoSuchBucket') return { status, headers: answered, bytes, code, uncertain };
          const said = /<Message>([^<]+)<\/Message>/.exec(bytes.toString('utf8', 0, 8192))?.[1] ?? '';
          const meant = answered['x-amz-bucket-region'] ?? /<Region>([\w-]+)<\/Region>/.exec(bytes.toString())?.[1];
          throw refused(place, `${method} ${what}`, {
            status,
            code,
            said: discreet(said),
            region,
            meant,
          });
        }
        // An intermediary may send this after the store has written.
        uncertain ||= status >= 500;
        trouble = `status ${status}${code === '' ? '' : ` ${code}`}`;
      } catch (error) {
        if (error instanceof AppregError) throw error;
        uncertain ||= method === 'PUT';
        trouble = error;
      }
      if (attempt === ATTEMPTS || isLastLook) throw unreachable(base, discreet(reasonOf(trouble)), uncertain, trouble);
      await wait(Math.random() * Math.min(8000, 200 * 2 ** attempt), undefined, { signal: stopping() }).catch(() => {});
    }
  }

  return {
    google,
    async request(method, path, details = {}) {
      const key = `${place.prefix}${path}`;
      return ask(method, new URL(base + key.split('/').map(encodeSegment).join('/')), key, details);
    },
    async list(query) {
      const url = new URL(base);
      url.search = queryOf(query);
      return ask('GET', url, 'the list of its files', {});
    },
    async identity() {
      const { accessKeyId } = await findKeys();
      const parts = JSON.stringify([base, place.prefix, region, google, accessKeyId]);
      return createHash('sha256').update(parts).digest('hex');
    },
  };
}

/** Aborted when the request has to end: a write has some seconds to finish after a stop was requested. */
function stopFor(method: 'GET' | 'PUT', isLastLook: boolean): AbortSignal {
  if (isLastLook) return AbortSignal.timeout(LAST_LOOK);
  if (method === 'GET') return stopping();
  const controller = new AbortController();
  stopping().addEventListener('abort', () => setTimeout(() => controller.abort(), GRACE).unref(), { once: true });
  return controller.signal;
}

function stopped(uncertain: boolean): AppregError {
  const signal = stopRequested() ?? 'SIGINT';
  return uncertain ? interrupted(signal, 'A write was under way.', 'unknown') : interrupted(signal, NOTHING_CHANGED);
}

function checked(endpoint: string): URL {
  const url = parseUrl(endpoint);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.username === '') return url;
  throw new AppregError(
    's3-endpoint-invalid',
    `The endpoint of the S3 store is no usable address: ${printable(redact(shorten(endpoint)))}`,
    'Write it as https://host[:port], without a login (in the configuration, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or the profile’s endpoint_url).',
  );
}

/** The base address of keys, with its slash. */
function baseOf({ bucket }: S3Place, endpoint: URL | null, region: string): string {
  const name = encodeSegment(bucket);
  if (endpoint !== null) return `${endpoint.href.replace(/\/+$/, '')}/${name}/`;
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  // A name with a dot would not be covered by the certificate.
  return bucket.includes('.') ? `https://${host}/${name}/` : `https://${name}.${host}/`;
}

function isPassing(status: number, code: string): boolean {
  return status === 429 || (status >= 500 && status !== 501) || PASSING.has(code);
}

function codeIn(bytes: Buffer): string {
  return /<Code>(\w+)<\/Code>/.exec(bytes.toString('utf8', 0, 8192))?.[1] ?? '';
}

function reasonOf(trouble: unknown): string {
  if (!(trouble instanceof Error)) return String(trouble);
  return shorten(trouble.message || (trouble as NodeJS.ErrnoException).code || trouble.name);
}

const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Check "bucket", "region" and "endpoint" of the store in the configuration.',
  InvalidAccessKeyId: 'Check AWS_ACCESS_KEY_ID, and that it belongs to this endpoint.',
  SignatureDoesNotMatch: 'Check AWS_SECRET_ACCESS_KEY.',
  ExpiredToken: 'Get new credentials: the session is over.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
};
const ELSEWHERE = new Set(['PermanentRedirect', 'TemporaryRedirect', 'AuthorizationHeaderMalformed']);
const RIGHTS =
  'The credentials need s3:GetObject and s3:PutObject on the files, and s3:ListBucket on the bucket (without it, what is not there cannot be told from what is forbidden).';

interface Refusal {
  status: number;
  code: string;
  said: string;
  region: string;
  /** The region that the store names instead. */
  meant: string | undefined;
}

function refused(place: S3Place, what: string, { status, code, said, region, meant }: Refusal): AppregError {
  const words = `${status}${code === '' ? '' : ` ${code}`}${said === '' ? '' : `, ${shorten(said)}`}`;
  const message = `The bucket ${place.bucket} (region ${region}) refuses ${what}: ${words.replace(/\.$/, '')}. ${NOTHING_CHANGED}`;
  return new AppregError('s3-refused', printable(message), printable(hintFor(status, code, meant)));
}

function hintFor(status: number, code: string, meant: string | undefined): string {
  if (ELSEWHERE.has(code))
    return `Set "region" of the store to ${meant === undefined ? 'the region of the bucket (R2: auto)' : `"${shorten(meant)}"`}.`;
  const rights = status === 403 || status === 401;
  return HINTS[code] ?? (rights ? RIGHTS : 'See what the store’s documentation says of that code.');
}

function unreachable(base: string, reason: string, uncertain: boolean, cause: unknown): AppregError {
  const state = uncertain ? '' : ` ${NOTHING_CHANGED}`;
  return new AppregError(
    's3-unreachable',
    `${printable(redact(base))} cannot be used: ${printable(reason)}, ${ATTEMPTS} times in a row.${state}`,
    `Check the network, and "endpoint" and "region" of the store in the configuration; then run the same command again${uncertain ? ': it finishes what is left' : ''}.`,
    { effect: uncertain ? 'unknown' : 'none', ...(cause instanceof Error && { cause }) },
  );
}
