/** Changes of an app: the rows of its versions, and the events that follow from them. Pure. */

/** The difference between the stored versions of an app and their new state. */
export interface VersionChanges {
  /** Rows that are new or changed. */
  changed: StoredVersion[];
  /** Versions that were never pinned and are no longer listed. */
  removed: string[];
  /** The highest offered version, or null. */
  latest: string | null;
}

/** The versions of an app once the changes are written; null for none. */
export function applyChanges(
  known: readonly StoredVersion[],
  changes: VersionChanges | null,
): readonly StoredVersion[] {
  if (changes === null) return known;
  const replaced = new Set([...changes.removed, ...changes.changed.map(({ version }) => version)]);
  return [...known.filter(({ version }) => !replaced.has(version)), ...changes.changed];
}

/** The versions that are offered, provided that their app is listed. */
export function offeredVersions(versions: readonly StoredVersion[]): string[] {
  return versions.flatMap(({ version, state, withdrawnAt }) =>
    state === 'verified' && withdrawnAt === null ? [version] : [],
  );
}

/** The headers of a response that describe the bytes of an artifact; null if it had none. */
export interface Validators {
  etag: string | null;
  lastModified: string | null;
  /** Content-Length, or the complete length in a Content-Range. */
  length: number | null;
}
/** A version of an app, as the service knows it. */
export interface StoredVersion {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
  firstSeenAt: Date;
  state: 'pending' | 'verified' | 'refused';
  rule: string | null;
  reason: string | null;
  verifiedAt: Date | null;
  triedAt: Date | null;
  bytes: number | null;
  swappedChecksum: string | null;
  servedChecksum: string | null;
  withdrawnAt: Date | null;
  lostAt: Date | null;
  validators: Validators[] | null;
  askedAt: Date | null;
}
