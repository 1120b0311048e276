import { lstatSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { errno } from './disk-error.ts';
import { syncFile } from './sync-file.ts';

/** Where systems and disks differ. */

// Looks at files, which change nothing and so need not be interrupted. The system answers in microseconds; a trip to one
// of Node's threads and back takes ten times as long, and reading a file of a megabyte in portions four times.

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

/** True of what Windows says about a file that another process is removing, renaming or scanning right now. */
export function isTransientWindowsError(error: unknown): boolean {
  return process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(errno(error));
}

/** Does it again for two seconds, on Windows, as long as another process has its hand on the file. */
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

/** For `rm`: a folder too, no matter if it is gone; patiently. */
export const FORCE_REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 } as const;

/** Makes the names in a folder survive a power cut, where the system can do that: Windows cannot. */
export async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(folder, 'r');
  } catch (error) {
    // EACCES also: a folder that one may write to but not list.
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
