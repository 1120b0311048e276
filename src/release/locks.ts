import { lockedVersion, readLockDocument } from '../publish/lock-step.ts';
import { lockPart } from '../publish/parts/lock.ts';
import type { Part } from '../publish/parts/part.ts';
import { workspaceLockPart } from '../publish/parts/workspace-lock.ts';
import type { StoredDocument } from '../publish/stored-document.ts';
import type { Store } from '../store/store.ts';
import type { PlannedVersion } from './outcome.ts';

/** The lock files that record the versions of a release. */

/** The lock files, as they were read; that of the workspace is null if there is none. */
export interface Locks {
  lock: StoredDocument;
  workspaceLock: StoredDocument | null;
}

/** @throws AppregError for an invalid file */
export async function readLocks({ store, workspace }: { store: Store; workspace: Store | null }): Promise<Locks> {
  return { lock: await readLockDocument(store), workspaceLock: workspace && (await readLockDocument(workspace)) };
}

/** One edit of each lock file, which records all versions. */
export function lockParts({ lock, workspaceLock }: Locks, planned: readonly PlannedVersion[], now: string): Part[] {
  const versions = planned.map(({ app, version }) => ({
    app: app.key,
    version: lockedVersion(app, version.entry, now),
  }));
  return [lockPart(lock, versions), workspaceLockPart(workspaceLock, versions)];
}

/** The subject of a commit that records published versions. */
export const RECORDING = 'Record the sources of published versions';
