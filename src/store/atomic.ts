import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, link, lstat, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Trouble } from '../core/trouble.ts';
import { diskTrouble, errno } from './disk-trouble.ts';
import { failHalfway, failpoint } from './failpoint.ts';

/**
 * Puts `bytes` at `path`: whoever looks, at any instant and after a crash, sees the old file or the new one, complete.
 * A file that was there keeps its mode, owner and group; a symbolic link stays a link and its target is replaced. Not
 * kept: extended attributes and hard links (a partner of the old file keeps the old bytes).
 * @throws Trouble when the file may not be written (`read-only`, `not-a-file`, `dangling-link`) or the disk refuses;
 * nothing is changed then, and no temporary file is left
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const old = await statOrNull(path);
    const target = old === null ? await newTarget(path) : await realpath(path);
    if (old !== null) await refuseUnwritable(path, target, old);
    await withTemp(target, bytes, old, async (temp) => {
      failpoint('before-rename');
      await renameOver(temp, target);
      failpoint('after-rename');
    });
    await syncFolder(dirname(target));
  } catch (error) {
    throw diskTrouble(error, path);
  }
}

/**
 * Makes a new file, complete from its first instant on; whatever stands at `path` already is left alone.
 * @returns false when something is there already (a dangling symbolic link counts)
 * @throws Trouble when the disk refuses; nothing is changed then
 */
export async function createFile(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    if (await lstatOrNull(path)) return false;
    const made = await withTemp(path, bytes, null, (temp) => linkNew(temp, path));
    if (made) await syncFolder(dirname(path));
    return made;
  } catch (error) {
    throw diskTrouble(error, path);
  }
}

/** Writes a temporary file beside `target`, hands it over, and sees to it that it is gone afterwards. */
async function withTemp<T>(
  target: string,
  bytes: Uint8Array,
  like: Stats | null,
  use: (temp: string) => Promise<T>,
): Promise<T> {
  const temp = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(8).toString('hex')}.tmp`);
  const handle = await open(temp, 'wx', like === null ? 0o666 : like.mode & 0o777);
  try {
    try {
      failpoint('temp-created');
      if (like !== null) await resemble(handle, like);
      const from = await failHalfway(handle, bytes);
      // Unlike a single write(), writeFile goes on until every byte is written, and says so when the disk is full.
      await handle.writeFile(bytes.subarray(from));
      failpoint('before-sync');
      await handle.sync();
      const { size } = await handle.stat();
      if (size !== bytes.length) throw new Error(`${size} of ${bytes.length} bytes were written`);
    } finally {
      await handle.close();
    }
    return await use(temp);
  } finally {
    await rm(temp, { force: true });
  }
}

/** Owner first: a change of owner takes the set-id bits away. An owner that cannot be kept is no harm, a group is. */
async function resemble(handle: FileHandle, like: Stats): Promise<void> {
  const made = await handle.stat();
  if (made.uid !== like.uid || made.gid !== like.gid) {
    try {
      await handle.chown(like.uid, like.gid);
    } catch (error) {
      if (errno(error) !== 'EPERM') throw error;
      if (made.gid !== like.gid) await handle.chown(made.uid, like.gid);
    }
  }
  if ((made.mode & 0o7777) !== (like.mode & 0o7777)) await handle.chmod(like.mode & 0o7777);
}

/** A hard link fails where something is, so nothing is ever overwritten; file systems without them take a rename. */
async function linkNew(temp: string, path: string): Promise<boolean> {
  failpoint('before-link');
  try {
    await link(temp, path);
  } catch (error) {
    const code = errno(error);
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code)) throw error;
    if (await lstatOrNull(path)) return false;
    await renameOver(temp, path);
  }
  failpoint('after-link');
  return true;
}

// What file systems say that have no hard links: FAT and exFAT, SMB, some FUSE (EISDIR: so Windows reports it).
const NO_LINKS = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EISDIR', 'EINVAL']);

/** On Windows a virus scanner or an indexer may hold a file for a moment. */
async function renameOver(temp: string, target: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await rename(temp, target);
    } catch (error) {
      const busy = ['EPERM', 'EACCES', 'EBUSY'].includes(errno(error));
      if (process.platform !== 'win32' || !busy || attempt === 8) throw error;
      await wait(10 * 2 ** attempt);
    }
  }
}

/** Makes the new name survive a power cut. Windows cannot do that with folders, and some file systems neither. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(folder, 'r');
  } catch (error) {
    if (['EISDIR', 'EPERM', 'EACCES'].includes(errno(error))) return;
    throw error;
  }
  try {
    await handle.sync();
  } catch (error) {
    if (!['EPERM', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(errno(error))) throw error;
  } finally {
    await handle.close();
  }
}

async function newTarget(path: string): Promise<string> {
  if (await lstatOrNull(path)) {
    throw new Trouble(
      'dangling-link',
      `${path} is a symbolic link to nothing. Nothing was changed.`,
      'Remove the link, or make the file that it points to.',
    );
  }
  return path;
}

async function refuseUnwritable(path: string, target: string, old: Stats): Promise<void> {
  if (!old.isFile()) {
    throw new Trouble('not-a-file', `${path} is not a regular file. Nothing was changed.`, 'Name a file.');
  }
  // A rename asks the folder alone, and root may do anything: what somebody made read-only would be replaced.
  const writable =
    (old.mode & 0o222) !== 0 &&
    (await access(target, constants.W_OK).then(
      () => true,
      () => false,
    ));
  if (!writable) {
    throw new Trouble(
      'read-only',
      `${path} is read-only. Nothing was changed.`,
      'Make it writable (chmod u+w) if it may change.',
    );
  }
}

export async function statOrNull(path: string): Promise<Stats | null> {
  return orNull(stat(path));
}

export async function lstatOrNull(path: string): Promise<Stats | null> {
  return orNull(lstat(path));
}

async function orNull(asked: Promise<Stats>): Promise<Stats | null> {
  try {
    return await asked;
  } catch (error) {
    if (errno(error) === 'ENOENT') return null;
    throw error;
  }
}
