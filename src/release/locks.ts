import { toRecordOf } from '../core/release/entry-changes.ts';
import { textsOf } from '../publish/described-app.ts';
import { lockedVersion, readLockDocument, type RecordedDescription } from '../publish/lock-step.ts';
import { lockPart } from '../publish/parts/lock.ts';
import type { Part } from '../publish/parts/part.ts';
import { workspaceLockPart } from '../publish/parts/workspace-lock.ts';
import type { StoredDocument } from '../publish/stored-document.ts';
import type { Store } from '../store/store.ts';
import type { PlannedVersion } from './outcome.ts';
import { descriptionsOf, type PlannedEntry } from './plan-entries.ts';

/** The lock files that record the versions of a release, and the descriptions of its apps. */

/** The lock files, as they were read; that of the workspace is null if there is none. */
export interface Locks {
  lock: StoredDocument;
  workspaceLock: StoredDocument | null;
}

/** @throws AppregError for an invalid file */
export async function readLocks({ store, workspace }: { store: Store; workspace: Store | null }): Promise<Locks> {
  return { lock: await readLockDocument(store), workspaceLock: workspace && (await readLockDocument(workspace)) };
}

/** One edit of each lock file, which records all versions, and what was published of the descriptions. */
export function lockParts(
  { lock, workspaceLock }: Locks,
  planned: readonly PlannedVersion[],
  entries: readonly PlannedEntry[],
  now: string,
): Part[] {
  const versions = planned.map(({ app, version }) => ({
    app: app.key,
    version: lockedVersion(app, version.entry, now),
  }));
  const descriptions = [...listedDescriptions(planned), ...descriptionsOf(entries)];
  return [lockPart(lock, versions, descriptions), workspaceLockPart(workspaceLock, versions, descriptions)];
}

/** Those of the apps that are listed with their versions. */
function listedDescriptions(planned: readonly PlannedVersion[]): RecordedDescription[] {
  return planned.flatMap(({ app: { key, listing }, version }) =>
    listing === null || version.listingStep === null ? [] : { app: key, texts: toRecordOf(textsOf(listing)) },
  );
}

/** The subject of a commit that records published versions. */
export const RECORDING = 'Record the sources of published versions';
/** The same for descriptions alone. */
export const RECORDING_DESCRIPTIONS = 'Record the descriptions of apps';
