import type { DocumentFacts } from 'appreg';
import type { SecretHeaders, WebOptions } from 'appreg/node';
import { type Service } from '../context.ts';
import { type Validators } from '../domain/version.ts';
import { type RegistryRecord } from '../db/refreshes.ts';

/** The start of a refresh: its state, how it requests, and its limits. */

/** Parts of the service that a refresh uses. */
export interface RefreshContext extends Pick<
  Service,
  'settings' | 'artifacts' | 'db' | 'log' | 'metrics' | 'outbound'
> {
  now(): Date;
  /** A random number from 0 to 1. */
  random(): number;
}

/** Result of asking the hosts of the offered artifacts. */
export interface ArtifactCheck {
  /** The URLs of artifacts that must be fetched, although they were verified before. */
  fetch: ReadonlySet<string>;
  /** By URL: what the host sent for some of them. */
  answers: ReadonlyMap<string, Validators>;
  /** True if some that are due were not asked for. */
  unfinished: boolean;
}

/** State at the start of a refresh. */
export interface RefreshState {
  readonly registry: RegistryRecord;
  /** The stored manifest; null if there is none. */
  readonly storedManifest: DocumentFacts | null;
  /** The keys of the apps that ever had a pinned version. */
  readonly pinnedKeys: readonly string[];
  /** Of the offered artifacts, before the registry was claimed. */
  readonly artifactCheck: ArtifactCheck;
  readonly web: ReturnType<typeof webOptions>;
  /** When it started. */
  readonly now: Date;
}

/** A registry with more findings is broken as a whole; further ones are of no use. */
export const FINDINGS_LIMIT = 10_000;

/** Options for requests to a registry: for the client and the observation of a refresh. */
export function webOptions(
  { settings, outbound }: RefreshContext,
  { id, checkedAt, onlySubscriber }: RegistryRecord,
  signal: AbortSignal,
  secrets: SecretHeaders | null,
) {
  const { limits, publicUrl, ca, machineCa } = settings;
  const { refresh } = limits;
  const documentTimeout = refresh * DOCUMENT_SHARE;
  return {
    concurrency: CONNECTIONS,
    ca,
    machineCa,
    ...outbound,
    secrets,
    signal,
    total: {
      small: checkedAt === null ? Math.min(documentTimeout, FIRST_DOCUMENT_TIMEOUT) : documentTimeout,
      artifact: refresh * ARTIFACT_TIMEOUT_SHARE,
    },
    // With which browsers request the registry.
    origins: publicUrl === null ? [] : [new URL(publicUrl).origin],
    newestFirst: true,
    scanContent: true,
    scanLimits: SCAN_LIMITS,
    owner: onlySubscriber ?? `registry ${id}`,
    limits: { ...DOCUMENT_LIMITS, artifact: limits.artifactBytes },
  } satisfies WebOptions;
}

/** Maximum bytes of documents: parsing a larger one would block this node. */
export const DOCUMENT_LIMITS = { manifest: 12 * 2 ** 20, metadata: 4 * 2 ** 20 };
export const CONNECTIONS = 8;
/** Of the scan of one artifact: the facts list 20 secrets, and an artifact may be made to take very long. */
const SCAN_LIMITS = { milliseconds: 3_000, secrets: 1_000 };

/** Shares of the refresh time: artifacts started in its first half complete within it. */
const DOCUMENT_SHARE = 0.25;
const ARTIFACT_TIMEOUT_SHARE = 0.45;

/** Milliseconds per document of a registry that was never checked: many of those do not exist. */
const FIRST_DOCUMENT_TIMEOUT = 30_000;
