import type { NewVersion } from '../author/metadata.ts';
import { counted } from '../core/text/text.ts';
import { type Document, documentWithText } from '../author/document.ts';
import type { DocumentContent } from '../core/json/content.ts';
import { documentContent } from '../core/json/json.ts';
import {
  EMPTY_LOCK,
  LOCK_FILE,
  type LockedDescription,
  type LockedVersion,
  type LockFile,
  lockFileIn,
  lockText,
  type Provenance,
  withLockedDescription,
  withLockedVersion,
} from '../core/registry/lock-file.ts';
import type { Store } from '../store/store.ts';
import type { Artifact } from './artifact.ts';
import { EditStep } from './edit-step.ts';
import type { Role } from './role.ts';
import type { RegistryLocation } from './registry-location.ts';
import { StoredDocument } from './stored-document.ts';

/** The lock file next to the manifest, in the store itself. */

/** Texts of the description of an app, as lock files record them. */
export interface RecordedDescription {
  app: string;
  texts: LockedDescription;
}

/** A version of an app, as lock files record it. */
export interface RecordedVersion {
  app: string;
  version: LockedVersion;
}

/**
 * The step that records versions and descriptions in a lock file.
 * @param lock as `readLockDocument` returns it
 * @param options.what as messages call the file (default: that of the store)
 * @returns null if it has them all
 */
export function lockStep(
  lock: StoredDocument,
  entries: readonly RecordedVersion[],
  {
    what = 'the lock file',
    role = 'lock',
    descriptions = [],
  }: { what?: string; role?: Role; descriptions?: readonly RecordedDescription[] } = {},
): EditStep | null {
  const [first] = entries;
  const versions =
    first && entries.length === 1 ? `${first.app} ${first.version.version}` : counted(entries.length, 'version');
  const added = entries.length === 0 ? counted(descriptions.length, 'description') : versions;
  return EditStep.of(lock, { what: `${what}, with ${added}`, role }, (now) => {
    const before = lockFileIn(now.content, LOCK_FILE);
    let after = before;
    for (const { app, version } of entries) after = withLockedVersion(after, app, version);
    for (const { app, texts } of descriptions) after = withLockedDescription(after, app, texts);
    return after === before ? null : documentWithText(lockText(after, now.text), LOCK_FILE);
  });
}

/** The lock file of a store; one that does not exist begins empty. @throws AppregError for an invalid file */
export async function readLockDocument(store: Store): Promise<StoredDocument> {
  return (
    (await StoredDocument.read(store, LOCK_FILE, openLock)) ??
    StoredDocument.missing(LOCK_FILE, lockText(EMPTY_LOCK), openLock)
  );
}

/** The versions in a lock file. */
export function lockIn({ content }: StoredDocument): LockFile {
  return lockFileIn(content, LOCK_FILE);
}

/** @throws AppregError `lock-file-invalid` (exit 2) */
function openLock(content: DocumentContent, path: string): Document {
  lockFileIn(content, path);
  return { path, text: content.text ?? '', value: null, content };
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
      place.firstSeen?.(app, version) ?? lock?.versions.get(app)?.get(version)?.artifactChecksum ?? null,
  };
}

/** Parses a lock file. @param name of the file @throws AppregError `lock-file-invalid` (exit 2) */
export function parseLock(bytes: Uint8Array, name = LOCK_FILE): LockFile {
  return lockFileIn(documentContent(bytes), name);
}

/** Published artifact, and the inputs of its build; null if that is unknown. */
interface BuiltArtifact {
  artifact: Artifact;
  provenance: Provenance | null;
}

/** A version as the lock file records it. @param now ISO 8601 */
export function lockedVersion({ artifact, provenance }: BuiltArtifact, entry: NewVersion, now: string): LockedVersion {
  const { version, artifactUrl, artifactChecksum } = entry;
  const { bytes } = artifact.content;
  const recorded = { version, artifactUrl, artifactChecksum, bytes, firstSeen: now, isUnserved: true } as const;
  return provenance === null ? recorded : { ...recorded, provenance };
}
