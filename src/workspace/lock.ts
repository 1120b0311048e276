import { message } from '../core/text/message.ts';
import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Baseline, type DocumentFacts, isMissing, type Snapshot } from '../core/facts/facts.ts';
import {
  baselineInLock,
  type ChangedVersion,
  EMPTY_LOCK,
  type LockFile,
  LOCK_FILE,
  lockText,
  recorded,
} from '../core/registry/lock-file.ts';
import { listedVersionsIn } from '../core/registry/manifest.ts';
import { reasonText } from '../core/rules/lookup.ts';
import { AppregError, isAppregError } from '../core/errors/error.ts';
import { asBase, localPath } from '../observe/workspace/places.ts';
import { parseLock } from '../publish/lock-step.ts';
import type { Store } from '../store/store.ts';
import { readRegularFile } from '../platform/regular-file.ts';

/** The lock file of a workspace, on disk. */

export function hasLock(root: string): boolean {
  return lstatSync(join(root, LOCK_FILE), { throwIfNoEntry: false }) !== undefined;
}

/** The settings that say which registry a workspace is. */
interface LockedWorkspace {
  root: string;
  config: { baseUrl?: string; manifest?: string };
}

/**
 * The lock file of a workspace, as a baseline of what is served at `url`; null if there is none, or if it belongs to
 * another registry.
 * @param marksUnserved as of `baselineInLock`
 */
export function lockBaseline(workspace: LockedWorkspace, url: string, marksUnserved = false): Baseline | null {
  const lock = readLock(workspace.root);
  return lock === null || !isServedAt(workspace, url) ? null : baselineInLock(lock, LOCK_FILE, marksUnserved);
}

/** True if the URL is that of the manifest of a workspace, by its configuration. */
export function isServedAt({ config }: Pick<LockedWorkspace, 'config'>, url: string): boolean {
  try {
    const { baseUrl, manifest = 'registry.json' } = config;
    return baseUrl !== undefined && localPath(url, asBase(baseUrl)) === manifest;
  } catch (error) {
    // The workspace's URL is unknown here, so it cannot be compared.
    if (isAppregError(error) && error.code === 'environment-variable-unset') return false;
    throw error;
  }
}

/** The lock file; null if there is none. @throws AppregError for an invalid file */
export function readLock(root: string): LockFile | null {
  const path = join(root, LOCK_FILE);
  if (!hasLock(root)) return null;
  const read = readRegularFile(path);
  if ('bytes' in read) return parseLock(read.bytes, path);
  throw new AppregError(
    'lock-file-invalid',
    message`${path} ${read.failure}.`,
    read.code === 'EACCES' || read.code === 'EPERM'
      ? message`Check the permissions of the file.`
      : message`Restore it from version control, or delete it and run appreg lock again.`,
    { effect: 'none' },
  );
}

/**
 * Updates the lock file, and creates it if missing; `change` is called again after a concurrent update.
 * @returns whether the file was written
 * @throws AppregError for an invalid file, which is left unchanged
 */
async function changeLock(root: string, change: (lock: LockFile) => LockFile): Promise<boolean> {
  const { openDirectory } = await import('../store/directory/directory.ts');
  const store = openDirectory(root);
  await store.tidy?.([LOCK_FILE]);
  for (;;) {
    const stored = await store.read(LOCK_FILE);
    const before = stored === null ? EMPTY_LOCK : parseLock(stored.bytes);
    const bytes = Buffer.from(lockText(change(before), stored === null ? '' : Buffer.from(stored.bytes).toString()));
    if (stored && bytes.equals(stored.bytes)) return false;
    const done = stored ? await store.replace(LOCK_FILE, bytes, stored.token) : await store.create(LOCK_FILE, bytes);
    if (done === 'replaced' || done === 'created') return true;
  }
}

/**
 * The folder of a workspace, for its lock file; null if it has none, or if it is the store of the registry, where that
 * lock file is a file of the store.
 */
export async function workspaceBeside(store: Store, root: string): Promise<Store | null> {
  if (store.folder === resolve(root) || !hasLock(root)) return null;
  const { openDirectory } = await import('../store/directory/directory.ts');
  return openDirectory(root);
}

/** Result of `recordVersions`. */
export interface Recorded {
  /** All versions in the lock file. */
  versions: number;
  /** Those that it did not have before. */
  added: number;
  /** Versions that are listed with other bytes than they were first published with; their entries stay as they are. */
  changed: ChangedVersion[];
  /** The apps whose versions cannot be read. */
  notRecorded: { app: string; reason: string }[];
  /** True if one of them should have been readable here: its metadata file is not hosted at another place. */
  isIncomplete: boolean;
}

/**
 * Records each version of a state in the lock file of a workspace, unless it is in it already. Existing entries never
 * change.
 * @param root the workspace, absolute
 * @throws AppregError for an invalid lock file, which is left unchanged
 */
export async function recordVersions(root: string, seen: Snapshot): Promise<Recorded> {
  let found: ReturnType<typeof recorded> = { lock: EMPTY_LOCK, added: 0, changed: [] };
  await changeLock(root, (before) => {
    found = recorded(before, seen);
    return found.lock;
  });
  const { added, changed, lock } = found;
  const unread = seen.apps.flatMap(({ key, metadata }) => {
    const reason = whyNotRecorded(metadata.content);
    return reason === null ? [] : [{ app: key, reason, metadata }];
  });
  return {
    versions: [...lock.versions.values()].reduce((sum, known) => sum + known.size, 0),
    added,
    changed,
    notRecorded: unread.map(({ app, reason }) => ({ app, reason })),
    isIncomplete: unread.some(({ metadata }) => !isElsewhere(metadata)),
  };
}

/** The reason why the versions of a metadata file cannot be recorded; null if they can. */
function whyNotRecorded(content: DocumentFacts['content']): string | null {
  if (isMissing(content)) return reasonText(content.missing);
  return listedVersionsIn(content) === null ? 'its metadata file has no list of versions' : null;
}

/** True for a metadata file at another place than the files of this registry: only a check of the live registry reads it. */
function isElsewhere({ file, content }: DocumentFacts): boolean {
  return file === null && isMissing(content) && ['not-in-workspace', 'not-in-source'].includes(content.missing.code);
}
