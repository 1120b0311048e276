import { message } from '../../core/text/message.ts';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { type Bytes, chunksOf } from '../bytes.ts';
import { diskError, errno, nullIfMissing } from './disk-error.ts';
import { failpoint } from '../failpoint.ts';
import { deferSignals, stopIfInterrupted } from '../interrupt.ts';
import { removeStaleTempFiles, tempName } from './owner.ts';
import { takeLock } from './lock.ts';
import { lstat, retryWhileBusy, realpath, stat, FORCE_REMOVE, syncFolder, syncFile } from './system.ts';

export interface WriteOptions {
  /** The name shown to the user (default: the file's path). */
  shownAs?: string;
  /** Called last, just before the rename; false: leave everything unchanged. */
  check?: () => Promise<boolean>;
}

const IN_PLACE = {
  effect: 'applied',
  state: message`The new file is in place, but the disk has not confirmed it.`,
} as const;

/**
 * Atomically writes `bytes` to `path`: at any time and after a crash, readers see the complete old file or the complete
 * new one. An existing file keeps its mode, owner and group; a symbolic link is kept and its target is replaced. Not
 * kept: extended attributes and hard links (other links keep the old bytes).
 * @returns false if `check` returned false, and nothing was changed
 * @throws AppregError if the file may not be written (`read-only`, `not-a-file`, `dangling-link`), on Ctrl-C
 * (`interrupted`), or on a disk error; nothing is changed then, and no temporary file is left
 */
export async function replaceFile(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<boolean> {
  const { shownAs = path, check } = options;
  let placed = false;
  try {
    return await deferSignals(async () => {
      const target = (await nullIfMissing(realpath(path))) ?? path;
      const old = await nullIfMissing(lstat(target));
      if (old !== null) await refuseUnwritable(target, old, shownAs);
      await removeStaleTempFiles(dirname(target));
      await withTemp(target, bytes, old, async (temp) => {
        stopIfInterrupted();
        if (check !== undefined && !(await check())) return;
        failpoint('before-rename');
        await retryWhileBusy(() => rename(temp, target));
        placed = true;
        failpoint('after-rename');
      });
      if (placed) await syncFolder(dirname(target));
      return placed;
    });
  } catch (error) {
    throw diskError(error, shownAs, placed ? IN_PLACE : { effect: 'none' }, path);
  }
}

/**
 * Creates a new file atomically; an existing file at `path` is not changed.
 * @returns false if something exists already (a dangling symbolic link counts)
 * @throws AppregError on Ctrl-C (`interrupted`) or on a disk error; nothing is changed then
 */
export async function createFile(path: string, bytes: Bytes, options: { shownAs?: string } = {}): Promise<boolean> {
  const { shownAs = path } = options;
  let placed = false;
  try {
    return await deferSignals(async () => {
      if (await nullIfMissing(lstat(path))) return false;
      await removeStaleTempFiles(dirname(path));
      await withTemp(path, bytes, null, async (temp) => {
        stopIfInterrupted();
        failpoint('before-link');
        placed = await linkNew(temp, path, shownAs);
        failpoint('after-link');
      });
      if (placed) await syncFolder(dirname(path));
      return placed;
    });
  } catch (error) {
    throw diskError(error, shownAs, placed ? IN_PLACE : { effect: 'none' }, path);
  }
}

/**
 * Tests that `replaceFile` can write a file: the file, and its folder; of a missing folder, the nearest one above it.
 * Nothing is written.
 * @param shownAs the name shown to the user
 * @throws AppregError as `replaceFile` does
 */
export async function requireWritableFile(path: string, shownAs = path): Promise<void> {
  try {
    const target = (await nullIfMissing(realpath(path))) ?? path;
    const old = await nullIfMissing(lstat(target));
    if (old !== null) await refuseUnwritable(target, old, shownAs);
    await requireWritableFolder(dirname(target));
  } catch (error) {
    throw diskError(error, shownAs, { effect: 'none' }, path);
  }
}

async function requireWritableFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  const stats = await nullIfMissing(stat(folder));
  if (stats === null && parent !== folder) return requireWritableFolder(parent);
  // Of a file, the access to something below it is refused (ENOTDIR).
  await access(stats?.isDirectory() === false ? join(folder, '.') : folder, constants.W_OK | constants.X_OK);
}

/** Writes a temporary file next to `target`, passes it on when complete, and ensures its removal afterwards. */
async function withTemp(
  target: string,
  bytes: Bytes,
  like: Stats | null,
  use: (temp: string) => Promise<void>,
): Promise<void> {
  const temp = join(dirname(target), tempName(basename(target)));
  const handle = await open(temp, 'wx', like === null ? 0o666 : like.mode & 0o777);
  try {
    await writeContent(handle, bytes, like).finally(() => handle.close());
    await use(temp);
  } finally {
    await rm(temp, FORCE_REMOVE);
  }
}

/** Writes and syncs the content of a new file, which gets the owner and mode of `like`. */
async function writeContent(handle: FileHandle, bytes: Bytes, like: Stats | null): Promise<void> {
  failpoint('temp-created');
  if (like !== null) await copyOwnership(handle, like);
  // write() may take fewer bytes than it is given, and does when the disk is nearly full; writeFile() continues.
  if (typeof FAILPOINTS !== 'undefined' && FAILPOINTS) await writeWithFailpoint(handle, bytes);
  else for await (const chunk of chunksOf(bytes)) await handle.writeFile(chunk);
  failpoint('before-sync');
  await syncFile(handle);
  const { size } = await handle.stat();
  if (size !== bytes.length)
    throw new Error(`the file has ${size} of ${bytes.length} bytes, although the write succeeded`);
}

/** Writes the bytes with a failpoint after the first half. */
async function writeWithFailpoint(handle: FileHandle, bytes: Bytes): Promise<void> {
  const half = bytes.length >> 1;
  let written = 0;
  for await (const chunk of chunksOf(bytes)) {
    const toHalf = half - written;
    written += chunk.length;
    if (toHalf < 0 || toHalf > chunk.length) await handle.writeFile(chunk);
    else {
      await handle.writeFile(chunk.subarray(0, toHalf));
      failpoint('half-written');
      await handle.writeFile(chunk.subarray(toHalf));
    }
  }
}

/**
 * Gives the new file the owner, group and mode of the old one. A user who may write the file but not change its owner
 * becomes its owner: the old one keeps access through the group, which is kept or else the write fails.
 */
async function copyOwnership(handle: FileHandle, like: Stats): Promise<void> {
  const created = await handle.stat();
  if (created.uid !== like.uid || created.gid !== like.gid) {
    try {
      await handle.chown(like.uid, like.gid);
    } catch (error) {
      if (errno(error) !== 'EPERM') throw error;
      if (created.gid !== like.gid) await handle.chown(created.uid, like.gid);
    }
  }
  // After the owner: a change of owner clears the set-id bits.
  if (created.mode !== like.mode) await handle.chmod(like.mode & 0o7777);
}

// Errors of file systems without hard links: FAT, exFAT, SMB, some of FUSE (EISDIR: on Windows).
const NO_LINKS = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EISDIR', 'EINVAL']);

/** Gives a complete file its name, unless the name is taken. */
async function linkNew(temp: string, path: string, shownAs: string): Promise<boolean> {
  try {
    await link(temp, path);
    return true;
  } catch (error) {
    if (errno(error) === 'EEXIST') return false;
    if (!NO_LINKS.has(errno(error))) throw error;
  }
  // Without hard links no single operation does both. Copying or an empty placeholder would expose an incomplete file,
  // and leave it there after a crash; a rename under the lock is complete, and exclusive among all processes that use
  // the lock.
  const lock = await takeLock(path, shownAs);
  try {
    if (await nullIfMissing(lstat(path))) return false;
    await retryWhileBusy(() => rename(temp, path));
    return true;
  } finally {
    await lock.release();
  }
}

/** @throws AppregError `dangling-link`, `not-a-file` or `read-only` */
async function refuseUnwritable(target: string, old: Stats, shownAs: string): Promise<void> {
  if (old.isSymbolicLink()) {
    throw new AppregError(
      'dangling-link',
      message`${shownAs} is a broken symbolic link.`,
      message`Remove the link, or create its target.`,
      { effect: 'none' },
    );
  }
  if (!old.isFile())
    throw new AppregError('not-a-file', message`${shownAs} is not a regular file.`, message`Give the path of a file.`, {
      effect: 'none',
    });
  // A rename only needs permission for the folder, and root may do anything: a read-only file would be replaced.
  const writable =
    (old.mode & 0o222) !== 0 &&
    (await access(target, constants.W_OK).then(
      () => true,
      () => false,
    ));
  if (!writable) {
    throw new AppregError(
      'read-only',
      message`${shownAs} is read-only.`,
      message`If it may be changed, make it writable (chmod u+w).`,
      {
        effect: 'none',
      },
    );
  }
}
