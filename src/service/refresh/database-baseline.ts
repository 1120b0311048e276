import type { Baseline, OfferBefore, PublishedVersion } from '../../core/facts/facts.ts';
import type { AppRecord } from '../apps/records-store.ts';
import type { StoredVersion } from '../database/tables.ts';

/** The baseline of the rules: all versions that were ever pinned. */
export interface DatabaseBaseline extends Baseline {
  /**
   * Must be called before an app is judged.
   * @param kept the checksums of the versions whose bytes the service keeps
   */
  load(key: string, record: AppRecord | null, kept: ReadonlySet<string>): void;
}

/** What was decided about a version of which a digest is pinned. */
export function offerBefore({ state, rule, artifactChecksum }: StoredVersion, kept: ReadonlySet<string>): OfferBefore {
  return { isOffered: state === 'verified', rule, isKept: kept.has(artifactChecksum) };
}

/** @param keys of the apps that ever had a pinned version, and may therefore be installed */
export function databaseBaseline(keys: readonly string[]): DatabaseBaseline {
  let loaded: { key: string; versions: PublishedVersion[] } | null = null;
  return {
    source: 'earlier checks by this service',
    keys,
    load(key, record, kept) {
      const pinned = (record?.versions ?? []).filter(({ verifiedAt }) => verifiedAt !== null);
      const versions = pinned.map((row) => {
        const { version, artifactUrl, artifactChecksum } = row;
        return { version, artifactUrl, artifactChecksum, offer: offerBefore(row, kept) };
      });
      loaded = { key, versions };
    },
    app: (key) => (loaded?.key === key && loaded.versions.length > 0 ? loaded.versions : null),
  };
}
