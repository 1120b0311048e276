import { ARTIFACT_AGE, type ListedArtifact, type ObservationCache, type RememberedApp } from 'appreg/node';
import { type AppRecords } from '../db/app-records.ts';
import { type AppRecord } from '../domain/app-changes.ts';
import { withoutUnstoredIcon } from './icons.ts';
import { type RefreshState } from './plan.ts';

/** Results of earlier refreshes, which a refresh need not request again. */

/** For the observation. @param records ordered once the manifest is read */
export function knownResults(state: RefreshState, records: AppRecords): ObservationCache {
  return {
    now: state.now.toISOString(),
    daily: true,
    manifest: () => state.storedManifest,
    app: async (key) => withoutArtifactsToFetch(state, withoutUnstoredIcon(await records.read(key))),
    about: async (key) => (await records.read(key))?.about.file ?? null,
  };
}

/** A known app without the artifacts that must be fetched again. */
function withoutArtifactsToFetch(
  { artifactCheck }: RefreshState,
  remembered: RememberedApp | null,
): RememberedApp | null {
  if (remembered === null || artifactCheck.fetch.size === 0) return remembered;
  const isReusable = remembered.facts.artifacts.map(({ url }) => url === null || !artifactCheck.fetch.has(url));
  return {
    ids: remembered.ids.filter((_, i) => isReusable[i]),
    facts: { ...remembered.facts, artifacts: remembered.facts.artifacts.filter((_, i) => isReusable[i]) },
  };
}

/**
 * If the facts of an artifact were too large to be stored, its row records that it was verified.
 * @param record null if the app has no row
 * @returns the listed artifacts of which this holds; and until when they need no request, in milliseconds since 1970
 */
export function verifiedWithoutFacts(
  { artifactCheck, now }: RefreshState,
  record: AppRecord | null,
  listed: readonly ListedArtifact[],
): ReadonlyMap<ListedArtifact, number> {
  if (record === null) return new Map();
  const { versions, remembered } = record;
  const rows = new Map(versions.map((row) => [row.version, row]));
  const withFacts = new Set(remembered?.facts.artifacts.map(({ url }) => url));
  const found = new Map<ListedArtifact, number>();
  for (const artifact of listed) {
    const { version, url, checksum } = artifact;
    const row = version === null ? undefined : rows.get(version);
    if (row?.state !== 'verified' || row.artifactUrl !== url || row.artifactChecksum !== checksum) continue;
    const until = (row.verifiedAt?.getTime() ?? 0) + ARTIFACT_AGE;
    if (!artifactCheck.fetch.has(url) && !withFacts.has(url) && now.getTime() <= until) found.set(artifact, until);
  }
  return found;
}
