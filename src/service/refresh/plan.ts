import type { DocumentFacts } from '../../core/facts/facts.ts';
import { ARTIFACT_AGE, type RememberedApp } from '../../observe/registry/cache/observation-cache.ts';
import type { ListedArtifact, WebOptions } from '../../observe/registry/options.ts';
import type { AppRecord } from '../apps/records-store.ts';
import type { Limits, Settings } from '../config/settings.ts';
import type { ArtifactCheck } from './artifact-checks/check-artifacts.ts';
import type { RegistryRecord } from './records-store.ts';
import { artifactTimeout, DOCUMENT_LIMITS, documentTimeout, originsOf, SCAN_LIMITS } from './request-options.ts';

/** What a refresh observes: which apps, in which order, and which artifacts. Pure. */

/** What a refresh starts from. */
export interface RefreshState {
  readonly registry: RegistryRecord;
  /** The stored manifest; null if there is none. */
  readonly storedManifest: DocumentFacts | null;
  /** The keys of the apps that ever had a pinned version. */
  readonly pinnedKeys: readonly string[];
  readonly artifacts: ArtifactCheck;
  /** When it started. */
  readonly now: Date;
}

/** A registry with more findings is broken as a whole; further ones are of no use. */
export const FINDINGS_LIMIT = 10_000;

/** What is requested of a registry, and its limits. */
export function webOptions({ registry }: RefreshState, { limits, publicUrl }: Settings) {
  return {
    total: { small: documentTimeout(limits, registry.checkedAt), artifact: artifactTimeout(limits) },
    origins: originsOf(publicUrl),
    newestFirst: true,
    scanContent: true,
    scanLimits: SCAN_LIMITS,
    owner: registry.onlySubscriber ?? `registry ${registry.id}`,
    limits: { ...DOCUMENT_LIMITS, artifact: limits.artifactBytes },
  } satisfies Partial<WebOptions>;
}

/** The apps in the manifest's order, starting where the last refresh stopped. */
export function appOrder({ registry }: RefreshState, keys: readonly string[], limits: Limits): string[] {
  const listed = keys.slice(0, limits.apps);
  const last = registry.resumeAfter === null ? -1 : listed.indexOf(registry.resumeAfter);
  return [...listed.slice(last + 1), ...listed.slice(0, last + 1)];
}

/** What is known about an app, without the artifacts that must be fetched again. */
export function withoutFetched({ artifacts }: RefreshState, remembered: RememberedApp | null): RememberedApp | null {
  if (remembered === null || artifacts.fetch.size === 0) return remembered;
  const isReusable = remembered.facts.artifacts.map(({ url }) => url === null || !artifacts.fetch.has(url));
  return {
    ids: remembered.ids.filter((_, i) => isReusable[i]),
    facts: { ...remembered.facts, artifacts: remembered.facts.artifacts.filter((_, i) => isReusable[i]) },
  };
}

/**
 * If the facts of an artifact were too large to be stored, its row records that it was verified.
 * @returns until when it needs no request, in milliseconds since 1970; null if it has to be fetched
 */
export function verifiedUntil(
  { artifacts, now }: RefreshState,
  record: AppRecord | null,
  { url, version, checksum }: ListedArtifact,
): number | null {
  if (artifacts.fetch.has(url)) return null;
  const row = record?.versions.find((one) => one.version === version);
  if (row?.state !== 'verified' || row.artifactChecksum !== checksum || row.artifactUrl !== url) return null;
  const hasFacts = record?.remembered?.facts.artifacts.some((one) => one.url === url);
  const until = (row.verifiedAt?.getTime() ?? 0) + ARTIFACT_AGE;
  return hasFacts || now.getTime() > until ? null : until;
}
