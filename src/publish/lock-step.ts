import type { NewVersion } from '../author/metadata.ts';
import { counted } from '../core/text/text.ts';
import { documentContent } from '../core/json/json.ts';
import {
  LOCK_FILE,
  type LockedVersion,
  type LockFile,
  lockFileIn,
  lockText,
  type Provenance,
  withLockedVersion,
} from '../core/registry/lock-file.ts';
import type { Store } from '../store/store.ts';
import type { Artifact } from './artifact.ts';
import type { EditStep } from './plan.ts';
import type { RegistryLocation } from './registry-location.ts';

/** The lock file next to the manifest, in the store itself. */

/**
 * The step that records versions in a lock file, which is created if it is missing.
 * @param options.isNew whether it is missing now, for a plan that is shown
 * @param options.file what the lock file is (default: that of the store)
 */
export function lockStep(
  entries: readonly { app: string; version: LockedVersion }[],
  { isNew = false, file = 'the lock file' }: { isNew?: boolean; file?: string } = {},
): EditStep {
  const [first] = entries;
  const versions =
    first && entries.length === 1 ? `${first.app} ${first.version.version}` : counted(entries.length, 'version');
  return {
    kind: 'edit',
    path: LOCK_FILE,
    ifMissing: lockText(new Map()),
    isNew,
    edit(text) {
      const before = parseLock(Buffer.from(text));
      let after = before;
      for (const { app, version } of entries) after = withLockedVersion(after, app, version);
      return after === before ? null : lockText(after, text);
    },
    what: `${file}, with ${versions}`,
  };
}

/** The lock file of the store; null if there is none. @throws AppregError for an invalid file */
export async function storedLock(store: Store): Promise<LockFile | null> {
  const stored = await store.read(LOCK_FILE);
  return stored && parseLock(stored.bytes);
}

/** The same location, which also knows the lock file of the store. */
export function withStoredLock(place: RegistryLocation, lock: LockFile | null): RegistryLocation {
  return {
    ...place,
    firstSeen: (app, version) =>
      place.firstSeen?.(app, version) ?? lock?.get(app)?.get(version)?.artifactChecksum ?? null,
  };
}

/** Parses a lock file. @param name of the file @throws AppregError `lock-file-invalid` (exit 2) */
export function parseLock(bytes: Uint8Array, name = LOCK_FILE): LockFile {
  return lockFileIn(documentContent(bytes), name);
}

/** What was published, and what it was built from; null if that is unknown. */
interface BuiltArtifact {
  artifact: Artifact;
  provenance: Provenance | null;
}

/** A version as the lock file records it. @param now ISO 8601 */
export function lockedVersion({ artifact, provenance }: BuiltArtifact, entry: NewVersion, now: string): LockedVersion {
  const { version, artifactUrl, artifactChecksum } = entry;
  const recorded = { version, artifactUrl, artifactChecksum, bytes: artifact.content.bytes, firstSeen: now };
  return provenance === null ? recorded : { ...recorded, provenance };
}
