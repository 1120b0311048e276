import type { HttpOptions } from '../../observe/http/client.ts';
import type { Limits } from '../config/settings.ts';
import type { Service } from '../context.ts';
import type { Missing } from '../../core/facts/facts.ts';
import type { ObserveProgress } from '../../observe/registry/options.ts';
import type { SecretHeaders } from '../../observe/http/request.ts';
import { redactor } from '../../observe/http/redact.ts';
import { secretHeadersFor } from '../registries/credentials.ts';
import { credentialsOf } from '../registries/credentials-store.ts';
import type { RegistryRecord } from './records-store.ts';
import { markUnauthorized, postponeRefresh } from '../registries/store.ts';

/** How the hosts of a registry are requested. */

/** Maximum bytes of documents: parsing a larger one would block this node. */
export const DOCUMENT_LIMITS = { manifest: 12 * 2 ** 20, metadata: 4 * 2 ** 20 };
export const CONNECTIONS = 8;
/** Of the scan of one artifact: the facts list 20 secrets, and an artifact may be made to take very long. */
export const SCAN_LIMITS = { milliseconds: 3_000, secrets: 1_000 };

/** Shares of the refresh time: artifacts started in its first half complete within it. */
const DOCUMENT_SHARE = 0.25;
const ARTIFACT_TIMEOUT_SHARE = 0.45;

export function requestOptions(
  { settings, outbound }: RefreshContext,
  { signal }: Budget,
  { secrets }: RequestCredentials,
): HttpOptions {
  return { concurrency: CONNECTIONS, ca: settings.ca, machineCa: settings.machineCa, ...outbound, secrets, signal };
}

/** Milliseconds per document of a registry that was never checked: many of those do not exist. */
const FIRST_DOCUMENT_TIMEOUT = 30_000;

/** Milliseconds per document. @param checkedAt of the registry */
export function documentTimeout({ refresh }: Limits, checkedAt: Date | null): number {
  const timeout = refresh * DOCUMENT_SHARE;
  return checkedAt === null ? Math.min(timeout, FIRST_DOCUMENT_TIMEOUT) : timeout;
}

/** Milliseconds per artifact. */
export function artifactTimeout({ refresh }: Limits): number {
  return refresh * ARTIFACT_TIMEOUT_SHARE;
}

/** The origins that browsers request the registry with. */
export function originsOf(publicUrl: string | null): string[] {
  return publicUrl === null ? [] : [new URL(publicUrl).origin];
}

/** What a refresh needs of the service. */
export interface RefreshContext extends Pick<
  Service,
  'settings' | 'artifacts' | 'db' | 'log' | 'metrics' | 'outbound'
> {
  now(): Date;
  /** A random number from 0 to 1. */
  random(): number;
}

/** The budget of one refresh of one registry. What exceeds it is deferred to the next refresh, soon after. */

export interface Budget {
  /** Why an artifact is not fetched this time; null if it is, which is counted. */
  afford(): Missing | null;
  onProgress(progress: Readonly<ObserveProgress>): void;
  /** Aborted when no more requests may be sent. */
  signal: AbortSignal;
  /** Whether anything was deferred to the next refresh. */
  hasDeferred(): boolean;
  artifacts(): number;
  bytes(): number;
  /** Aborts the refresh immediately. */
  stop(): void;
  close(): void;
}

/** The rest of the time is for completing artifacts already started, so that each refresh makes progress. */
const ARTIFACT_SHARE = 0.5;
/** Bytes of documents; the manifest may be large, and is not an artifact. */
const DOCUMENT_BYTES = 64 * 2 ** 20;
const OVER_BUDGET: Missing = { missing: { code: 'over-budget' } };

/** @param stopping also ends it: the node is stopping */
export function openBudget(limits: Limits, stopping: AbortSignal): Budget {
  const ending = new AbortController();
  const stop = (): void => ending.abort(stopping.reason);
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => ending.abort(new Error('the time limit was reached')), limits.refresh);
  const artifactsUntil = Date.now() + limits.refresh * ARTIFACT_SHARE;
  let artifacts = 0;
  let bytes = 0;
  let hasDeferred = false;
  return {
    afford() {
      if (artifacts < limits.artifacts && bytes < limits.artifactBytes && Date.now() < artifactsUntil) {
        artifacts += 1;
        return null;
      }
      hasDeferred = true;
      return OVER_BUDGET;
    },
    onProgress(progress) {
      bytes = progress.bytes;
      // Requests in progress are limited as well.
      if (bytes > limits.artifactBytes * 1.5 + DOCUMENT_BYTES)
        ending.abort(new Error('the limit for bytes was reached'));
    },
    signal: ending.signal,
    hasDeferred: () => hasDeferred,
    artifacts: () => artifacts,
    bytes: () => bytes,
    stop: () => ending.abort(new Error('the limit for findings was reached')),
    close() {
      clearTimeout(timer);
      stopping.removeEventListener('abort', stop);
    },
  };
}

/** The credentials that a refresh sends. */
export interface RequestCredentials {
  /** For the origin of the registry only; null if it has none. */
  secrets: SecretHeaders | null;
  /** Removes them from a text; null without credentials. */
  redact: ((text: string) => string) | null;
}

const NONE: RequestCredentials = { secrets: null, redact: null };

/** Milliseconds until a registry is tried again whose credentials another key has sealed: it may be on its way. */
const KEY_DELAY = 60_000;

/**
 * The credentials of a registry. Without the key that sealed them nothing is requested.
 * @returns null if they cannot be used: the refresh is postponed, and the operator finds the reason in the log
 */
export async function requestCredentials(
  context: RefreshContext,
  registry: RegistryRecord,
): Promise<RequestCredentials | null> {
  const { db, settings, log } = context;
  const { id, ownerId, url } = registry;
  if (ownerId === null) return NONE;
  const opened = await credentialsOf(db, settings.secretsKeys, { id, ownerId, url });
  if (opened === null) return NONE;
  if ('auth' in opened) {
    const secrets = secretHeadersFor(url, opened.auth);
    return { secrets, redact: redactor(secrets.headers.map(([, value]) => value)) };
  }
  const now = context.now();
  if (opened.fault === 'unknown-key') {
    log('error', 'credentials-locked', {
      registry: id,
      remedy: 'Set SECRETS_KEY or SECRETS_KEY_OLD to the key that they were encrypted with.',
    });
    await postponeRefresh(db, id, new Date(now.getTime() + KEY_DELAY));
  } else {
    log('error', 'credentials-damaged', { registry: id, remedy: 'The organization has to set the credentials again.' });
    await markUnauthorized(db, registry, now, new Date(now.getTime() + settings.interval));
  }
  return null;
}

/** The value, or null if it contains the credentials: a host may echo them, and what is stored is read later. */
export function unlessSecret<Value>({ redact }: RequestCredentials, value: Value | null): Value | null {
  if (redact === null || value === null) return value;
  const text = JSON.stringify(value);
  return redact(text) === text ? value : null;
}

/** Whether bytes contain the credentials. */
export function containsSecret({ redact }: RequestCredentials, bytes: Uint8Array): boolean {
  if (redact === null) return false;
  const text = Buffer.from(bytes).toString('latin1');
  return redact(text) !== text;
}
