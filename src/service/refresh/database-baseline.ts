import type { Baseline, PublishedVersion } from '../../core/facts/facts.ts';
import type { AppRecord } from '../storage/app-records.ts';

/** The baseline of the rules: everything that was ever in force. */
export interface DatabaseBaseline extends Baseline {
  /** Must be called before an app is judged. */
  load(key: string, record: AppRecord | null): void;
}

/** @param keys of the apps that ever had a version in force, and may therefore be installed */
export function databaseBaseline(keys: readonly string[]): DatabaseBaseline {
  let loaded: { key: string; versions: PublishedVersion[] } | null = null;
  return {
    source: 'what this service saw before',
    keys,
    load(key, record) {
      const inForce = (record?.versions ?? []).filter(({ verifiedAt }) => verifiedAt !== null);
      const versions = inForce.map(({ version, artifactUrl, artifactChecksum }) => ({
        version,
        artifactUrl,
        artifactChecksum,
      }));
      loaded = { key, versions };
    },
    app: (key) => (loaded?.key === key && loaded.versions.length > 0 ? loaded.versions : null),
  };
}
