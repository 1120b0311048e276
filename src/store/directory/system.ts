import { fsync, lstatSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errno } from './disk-error.ts';

/**
 * Waits until the disk has confirmed the file's data. The FileHandle that Yarn's Plug'n'Play substitutes for Node's own
 * throws in `sync()`; its descriptor is a real one.
 */
export async function syncFile(handle: FileHandle): Promise<void> {
  await (process.versions['pnp'] === undefined ? handle.sync() : promisify(fsync)(handle.fd));
}

// Differences between systems and disks.

// File checks change nothing and so need not be interruptible. The system call takes microseconds; a round trip to one
// of Node's threads takes ten times as long, and reading a file of a megabyte in portions four times.

export async function realpath(path: string): Promise<string> {
  return realpathSync.native(path);
}

export async function stat(path: string): Promise<Stats> {
  return statSync(path);
}

export async function lstat(path: string): Promise<Stats> {
  return lstatSync(path);
}

export async function readFile(path: string): Promise<Buffer> {
  return readFileSync(path);
}

/** True for errors of Windows about a file that another process is removing, renaming or scanning right now. */
export function isTransientWindowsError(error: unknown): boolean {
  return process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(errno(error));
}

/** Retries for two seconds, on Windows, while another process uses the file. */
export async function retryWhileBusy<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (!isTransientWindowsError(error) || attempt === 8) throw error;
      await wait(8 * 2 ** attempt);
    }
  }
}

/** For `rm`: a folder too, ignoring one that is gone, with retries. */
export const FORCE_REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 } as const;

/** Makes the names in a folder survive a power failure, if the system supports it: Windows does not. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(folder, 'r');
  } catch (error) {
    // EACCES also: a folder that may be written to but not listed.
    if (['EISDIR', 'EPERM', 'EACCES'].includes(errno(error))) return;
    throw error;
  }
  try {
    await syncFile(handle);
  } catch (error) {
    if (!['EPERM', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(errno(error))) throw error;
  } finally {
    await handle.close();
  }
}
