import type { Baseline, PublishedVersion } from '../../core/facts/facts.ts';
import type { AppRecord } from '../storage/app-records.ts';

/** The baseline of the rules: all versions that were ever pinned. */
export interface DatabaseBaseline extends Baseline {
  /** Must be called before an app is judged. */
  load(key: string, record: AppRecord | null): void;
}

/** @param keys of the apps that ever had a pinned version, and may therefore be installed */
export function databaseBaseline(keys: readonly string[]): DatabaseBaseline {
  let loaded: { key: string; versions: PublishedVersion[] } | null = null;
  return {
    source: 'earlier checks by this service',
    keys,
    load(key, record) {
      const pinned = (record?.versions ?? []).filter(({ verifiedAt }) => verifiedAt !== null);
      const versions = pinned.map(({ version, artifactUrl, artifactChecksum }) => ({
        version,
        artifactUrl,
        artifactChecksum,
      }));
      loaded = { key, versions };
    },
    app: (key) => (loaded?.key === key && loaded.versions.length > 0 ? loaded.versions : null),
  };
}
