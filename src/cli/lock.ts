import { message, type SafeText } from '../core/text/message.ts';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Baseline } from '../core/facts/facts.ts';
import {
  baselineInLock,
  type LockFile,
  LOCK_FILE,
  type LockedVersion,
  lockText,
  withLockedVersion,
} from '../core/registry/lock-file.ts';
import { AppregError, isAppregError } from '../core/errors.ts';
import { asBase } from '../observe/workspace/places.ts';
import { parseLock } from '../publish/lock-step.ts';
import { readRegularFile } from '../platform/regular-file.ts';
import type { Context } from './context.ts';

/** The workspace's lock file on disk. */

export function hasLock(root: string): boolean {
  return lstatSync(join(root, LOCK_FILE), { throwIfNoEntry: false }) !== undefined;
}

/**
 * The lock file of the current workspace, as a baseline of what is served at `url`; null if there is none, or if it
 * belongs to another registry.
 */
export async function lockBaseline(context: Context, url: string): Promise<Baseline | null> {
  const { config, root } = await context.config();
  const lock = readLock(root);
  if (lock === null) return null;
  try {
    const { baseUrl, manifest = 'registry.json' } = config;
    if (baseUrl === undefined || asBase(baseUrl) + encodeURIComponent(manifest) !== url) return null;
  } catch (error) {
    // The workspace's URL is unknown here, so it cannot be compared.
    if (isAppregError(error) && error.code === 'environment-variable-unset') return null;
    throw error;
  }
  return baselineInLock(lock, LOCK_FILE);
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
    message`Restore it from version control, or delete it and run appreg lock again.`,
    { effect: 'none' },
  );
}

/**
 * Updates the lock file, and creates it if missing; `change` is called again after a concurrent update.
 * @throws AppregError for an invalid file, which is left unchanged
 */
export async function changeLock(root: string, change: (lock: LockFile) => LockFile): Promise<void> {
  const { openDirectory } = await import('../store/directory/directory.ts');
  const store = openDirectory(root);
  await store.tidy?.([LOCK_FILE]);
  for (;;) {
    const stored = await store.read(LOCK_FILE);
    const before = stored === null ? new Map() : parseLock(stored.bytes);
    const bytes = Buffer.from(lockText(change(before), stored === null ? '' : Buffer.from(stored.bytes).toString()));
    if (stored && bytes.equals(stored.bytes)) return;
    const done = stored ? await store.replace(LOCK_FILE, bytes, stored.token) : await store.create(LOCK_FILE, bytes);
    if (done === 'replaced' || done === 'created') return;
  }
}

/** Records a version that was just published, if the workspace has a lock file. */
export async function lockVersion(root: string, app: string, version: LockedVersion): Promise<void> {
  await lockVersions(root, [{ app, version }]);
}

/** Records versions that were just published, if the workspace has a lock file. */
export async function lockVersions(
  root: string,
  entries: readonly { app: string; version: LockedVersion }[],
): Promise<void> {
  if (entries.length === 0 || !hasLock(root)) return;
  await changeLock(root, (lock) =>
    entries.reduce((after, { app, version }) => withLockedVersion(after, app, version), lock),
  );
}

/** A difference from the lock file. */
export function describeChange(app: string, version: string, before: string, after: string): SafeText {
  return message`${app} ${version}: ${before} was published first, ${after} is listed now.`;
}
