import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { message } from '../../core/text/message.ts';
import { shorten } from '../../core/text/text.ts';
import { requireNode } from '../../platform/runtime.ts';
import { AppregError } from '../../core/errors/error.ts';
import { errno } from '../directory/disk-error.ts';
import { stopAbortSignal, stopRequested } from '../interrupt.ts';
import { findCredentials, type FoundCredentials } from './credentials.ts';
import { renewCredentials } from './renewed-credentials.ts';
import { resolvePlace, type S3Place } from './place.ts';
import {
  limitReached,
  areCredentialsInvalid,
  credentialsNotRenewed,
  endpointUnreachable,
  requestRefused,
  requestStopped,
} from './request-errors.ts';
import { encodeSegment, queryOf } from './sign.ts';
import { type Attempt, openSigned, type S3Details, type S3Method, type S3Response } from './signed-requests.ts';
import { openHttp, type StoreProxyFor } from './web.ts';

/** Signed requests to an S3-compatible object store. */

export type S3Request = (method: S3Method, path: string, details?: S3Details) => Promise<S3Response>;

/** The requests to one place in a store. */
export interface S3Requests {
  request: S3Request;
  /** Requests the bucket itself; the paths in `query` are not prefixed. */
  list(query: Readonly<Record<string, string>>): Promise<S3Response>;
  /** True if the store uses Google's dialect. */
  google: boolean;
  /** A digest of the endpoint, bucket, prefix, region and the id of the credentials; it contains no secret. */
  identity(): Promise<string>;
}

const ATTEMPTS = 6;
/** Milliseconds: the longest wait before the first retry, doubled each time up to MAX_RETRY_DELAY. */
const RETRY_DELAY = 400;
/** Milliseconds: the longest wait before any retry. */
const MAX_RETRY_DELAY = 8000;
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
  /** Receives the error of credentials that could not be renewed, while the earlier ones are still used. */
  onCredentialsError?: (error: unknown) => void;
}

/**
 * @throws AppregError `s3-endpoint-invalid`; `runtime-unsupported` on a runtime other than Node.js; requests throw AppregError for errors that a retry would not fix, other
 * responses are returned, whatever their status
 */
export function openRequests(place: S3Place, options: S3RequestsOptions): S3Requests {
  requireNode(message`A bucket as a store`);
  const { env, proxyFor, requestRetryDelay = RETRY_DELAY, onCredentialsError } = options;
  const resolved = resolvePlace(place, env);
  const { base, region, google } = resolved;
  const web = openHttp(proxyFor);
  const credentials = renewCredentials(
    () => findCredentials(env, region, web),
    onCredentialsError === undefined ? {} : { onError: onCredentialsError },
  );
  const { sendOnce, withoutSecrets } = openSigned(resolved, web);

  /** @param what the requested file, in messages */
  async function send(method: S3Method, url: URL, what: string, details: S3Details): Promise<S3Response> {
    const { isLastCheck = false } = details;
    let uncertain = false;
    let isRenewed = false;
    const signal = signalFor(method, isLastCheck);
    for (let attempt = 1; ; attempt++) {
      let failure: unknown;
      if (stopRequested() !== null && !isLastCheck) throw requestStopped(uncertain);
      try {
        const { used, ...answer } = await sendOnce(await credentials.current(), method, url, details, signal);
        const { status, code } = answer;
        if (isFinal(answer)) return { ...answer, uncertain };
        if (!isRenewed && areCredentialsInvalid(status, code)) {
          isRenewed = await renewAfter(refusalError(answer, `${method} ${what}`, used), used);
          if (isRenewed) continue;
        }
        if (!isTransient(status, code)) throw refusalError(answer, `${method} ${what}`, used);
        // An intermediary may send this after the store has written.
        uncertain ||= status >= 500;
        failure = `status ${status}${code === '' ? '' : ` ${code}`}`;
      } catch (error) {
        if (error instanceof AppregError) throw error;
        uncertain ||= method !== 'GET';
        failure = error;
      }
      if (attempt === ATTEMPTS || isLastCheck)
        throw (
          limitReached(base, uncertain, failure) ??
          endpointUnreachable(base, ATTEMPTS, withoutSecrets(reasonOf(failure)), uncertain, failure)
        );
      const longest = Math.min(MAX_RETRY_DELAY, requestRetryDelay * 2 ** (attempt - 1));
      await wait(Math.random() * longest, undefined, { signal: stopAbortSignal() }).catch(() => {});
    }
  }

  /** @returns whether the source has other credentials than those that the store refused */
  async function renewAfter(refusal: AppregError, used: FoundCredentials): Promise<boolean> {
    try {
      return (await credentials.after(used)) !== null;
    } catch (error) {
      throw error instanceof AppregError ? credentialsNotRenewed(refusal, error) : error;
    }
  }

  function refusalError(
    { status, code, headers, bytes }: Omit<Attempt, 'used'>,
    what: string,
    { source }: FoundCredentials,
  ): AppregError {
    const reason = withoutSecrets(/<Message>([^<]+)<\/Message>/.exec(bytes.toString('utf8', 0, 8192))?.[1] ?? '');
    const otherRegion = headers['x-amz-bucket-region'] ?? /<Region>([\w-]+)<\/Region>/.exec(bytes.toString())?.[1];
    return requestRefused(place.bucket, what, { status, code, reason, region, otherRegion, source });
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
      const { accessKeyId } = (await credentials.current()).keys;
      const parts = JSON.stringify([base, place.prefix, region, google, accessKeyId]);
      return createHash('sha256').update(parts).digest('hex');
    },
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
function isFinal({ status, code }: Pick<Attempt, 'status' | 'code'>): boolean {
  const isAnswer = status < 300 || status === 404 || status === 412 || status === 409;
  return isAnswer && code !== 'NoSuchBucket' && !isTransient(status, code);
}

/** True for a response that asks for a later retry. */
function isTransient(status: number, code: string): boolean {
  return status === 429 || (status >= 500 && status !== 501) || TRANSIENT.has(code);
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  return shorten(failure.message || errno(failure) || failure.name);
}
