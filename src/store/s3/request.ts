import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { redact, shorten } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import type { Bytes } from '../bytes.ts';
import { errno } from '../directory/disk-error.ts';
import { failpoint } from '../failpoint.ts';
import { stopAbortSignal, stopRequested } from '../interrupt.ts';
import { type Credentials, findCredentials } from './credentials.ts';
import { type ResolvedPlace, resolvePlace, type S3Place } from './place.ts';
import { requestRefused, requestStopped, endpointUnreachable } from './request-errors.ts';
import { AMAZON, encodeSegment, GOOGLE, queryOf, signed } from './sign.ts';
import { openHttp, type SendRequest, type StoreProxyFor } from './web.ts';

/** Signed requests to an S3-compatible object store. */

export interface S3Response {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  bytes: Buffer;
  /** The code of an error, such as `NoSuchKey`; '' if there is none. */
  code: string;
  /** True if an earlier attempt got no clear response, so that it may have been carried out. */
  uncertain: boolean;
}

/** A DELETE of a missing object succeeds. */
type S3Method = 'GET' | 'PUT' | 'DELETE';

interface S3Details {
  headers?: Record<string, string>;
  body?: Bytes;
  /** Creates, for each attempt, the consumer of a response body with a status below 300. */
  sink?: () => (chunk: Uint8Array) => void;
  /** True for one short check after a stop was requested. */
  isLastCheck?: boolean;
}

export type S3Request = (method: S3Method, path: string, details?: S3Details) => Promise<S3Response>;

/** The response to one attempt, with the code of an error. */
type Attempt = Omit<S3Response, 'uncertain'>;

/** The requests to one place in a store. */
export interface S3Requests {
  request: S3Request;
  /** Requests the bucket itself; the paths in `query` are not prefixed. */
  list(query: Readonly<Record<string, string>>): Promise<S3Response>;
  /** Whether the store uses Google's dialect. */
  google: boolean;
  /** A digest of the endpoint, bucket, prefix, region and the id of the credentials; it contains no secret. */
  identity(): Promise<string>;
}

const ATTEMPTS = 6;
/** Milliseconds: the longest wait before the first retry, doubled each time up to MAX_RETRY_DELAY. */
const RETRY_DELAY = 400;
/** Milliseconds: the longest wait before any retry. */
const MAX_RETRY_DELAY = 8000;
/** Milliseconds for one file, however large and however slow the connection. */
const TIMEOUT = 3_600_000;
/** Milliseconds: a write in progress when a stop is requested may take this long. */
const WRITE_GRACE = 4_000;
/** Milliseconds for a check of what is stored, after a stop. */
const CHECK_TIMEOUT = 3_000;
/** Codes of a 4xx that ask for a later retry. */
const TRANSIENT = new Set(['SlowDown', 'RequestTimeout', 'ConditionalRequestConflict', 'OperationAborted']);

/** The settings of all requests to one place in a store. */
export interface S3RequestsOptions {
  env: NodeJS.ProcessEnv;
  /** The proxies of this machine (default: none). */
  proxyFor?: StoreProxyFor;
  /** Milliseconds: the longest wait before the first retry, doubled each time (default: 400). */
  requestRetryDelay?: number;
}

/**
 * @throws AppregError `s3-endpoint-invalid`; requests throw AppregError for errors that a retry would not fix, other
 * responses are returned, whatever their status
 */
export function openRequests(place: S3Place, options: S3RequestsOptions): S3Requests {
  const { env, proxyFor, requestRetryDelay = RETRY_DELAY } = options;
  const resolved = resolvePlace(place, env);
  const { base, region, google } = resolved;
  const { findKeys, sendOnce, withoutSecrets } = openSigned(resolved, env, openHttp(proxyFor));

  /** @param what the requested file, in messages */
  async function send(method: S3Method, url: URL, what: string, details: S3Details): Promise<S3Response> {
    const { isLastCheck = false } = details;
    let uncertain = false;
    const signal = signalFor(method, isLastCheck);
    for (let attempt = 1; ; attempt++) {
      let failure: unknown;
      if (stopRequested() !== null && !isLastCheck) throw requestStopped(uncertain);
      try {
        const answer = await sendOnce(method, url, details, signal);
        const { status, code } = answer;
        if (isFinal(answer)) return { ...answer, uncertain };
        if (!isTransient(status, code)) throw refusalError(answer, `${method} ${what}`);
        // An intermediary may send this after the store has written.
        uncertain ||= status >= 500;
        failure = `status ${status}${code === '' ? '' : ` ${code}`}`;
      } catch (error) {
        if (error instanceof AppregError) throw error;
        uncertain ||= method !== 'GET';
        failure = error;
      }
      if (attempt === ATTEMPTS || isLastCheck)
        throw endpointUnreachable(base, ATTEMPTS, withoutSecrets(reasonOf(failure)), uncertain, failure);
      const longest = Math.min(MAX_RETRY_DELAY, requestRetryDelay * 2 ** (attempt - 1));
      await wait(Math.random() * longest, undefined, { signal: stopAbortSignal() }).catch(() => {});
    }
  }

  function refusalError({ status, code, headers, bytes }: Attempt, what: string): AppregError {
    const reason = withoutSecrets(/<Message>([^<]+)<\/Message>/.exec(bytes.toString('utf8', 0, 8192))?.[1] ?? '');
    const otherRegion = headers['x-amz-bucket-region'] ?? /<Region>([\w-]+)<\/Region>/.exec(bytes.toString())?.[1];
    return requestRefused(place.bucket, what, { status, code, reason, region, otherRegion });
  }

  return {
    google,
    async request(method, path, details = {}) {
      const key = `${place.prefix}${path}`;
      return send(method, new URL(base + key.split('/').map(encodeSegment).join('/')), key, details);
    },
    async list(query) {
      const url = new URL(base);
      url.search = queryOf(query);
      return send('GET', url, 'the list of its files', {});
    },
    async identity() {
      const { accessKeyId } = await findKeys();
      const parts = JSON.stringify([base, place.prefix, region, google, accessKeyId]);
      return createHash('sha256').update(parts).digest('hex');
    },
  };
}

interface Signed {
  findKeys(): Promise<Credentials>;
  /** Sends a request once, with the signature of the credentials. */
  sendOnce(method: S3Method, url: URL, details: S3Details, signal: AbortSignal): Promise<Attempt>;
  /** A server's message, without the secrets that were sent to it. */
  withoutSecrets(text: string): string;
}

/** Signs requests; the credentials are looked up for the first one. */
function openSigned({ region, google }: ResolvedPlace, env: NodeJS.ProcessEnv, web: SendRequest): Signed {
  let credentials: Promise<Credentials> | null = null;
  let secrets: string[] = [];
  const findKeys = (): Promise<Credentials> => (credentials ??= findCredentials(env, region, web));

  async function sendOnce(
    method: S3Method,
    url: URL,
    { headers = {}, body, sink }: S3Details,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const keys = await findKeys();
    secrets = [keys.secretAccessKey, keys.sessionToken ?? ''].filter((secret) => secret !== '');
    const content = body ?? null;
    const sent = signed({ method, url, headers, body: content, region }, keys, google ? GOOGLE : AMAZON);
    if (method === 'PUT') failpoint('before-send');
    const answer = await web(url, {
      method,
      headers: sent,
      body: content,
      sink: sink?.() ?? null,
      timeout: TIMEOUT,
      signal,
    });
    if (method === 'PUT') failpoint('after-send');
    return { ...answer, code: answer.status >= 300 ? codeIn(answer.bytes) : '' };
  }

  return {
    findKeys,
    sendOnce,
    withoutSecrets: (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, 'REDACTED'), redact(text)),
  };
}

/** Aborted when the request has to end: a write has some seconds to finish after a stop was requested. */
function signalFor(method: S3Method, isLastCheck: boolean): AbortSignal {
  if (isLastCheck) return AbortSignal.timeout(CHECK_TIMEOUT);
  if (method === 'GET') return stopAbortSignal();
  const controller = new AbortController();
  stopAbortSignal().addEventListener('abort', () => setTimeout(() => controller.abort(), WRITE_GRACE).unref(), {
    once: true,
  });
  return controller.signal;
}

/** True for a response that the caller handles, whatever it says of the file. */
function isFinal({ status, code }: Attempt): boolean {
  const isAnswer = status < 300 || status === 404 || status === 412 || status === 409;
  return isAnswer && code !== 'NoSuchBucket' && !isTransient(status, code);
}

/** True for a response that asks for a later retry. */
function isTransient(status: number, code: string): boolean {
  return status === 429 || (status >= 500 && status !== 501) || TRANSIENT.has(code);
}

function codeIn(bytes: Buffer): string {
  return /<Code>(\w+)<\/Code>/.exec(bytes.toString('utf8', 0, 8192))?.[1] ?? '';
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  return shorten(failure.message || errno(failure) || failure.name);
}
