import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errno, orNull } from './disk-trouble.ts';
import { isAlive, tempOwner } from './owner.ts';
import { SURELY } from './system.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * Removes what killed runs left in a folder: temporary files of processes that are gone, or that ran on another machine
 * more than a day ago. What may not be listed or removed stays: it is in nobody's way.
 */
export async function sweep(folder: string): Promise<void> {
  try {
    for (const name of (await orNull(readdir(folder))) ?? []) {
      const owner = tempOwner(name);
      if (owner === null) continue;
      const path = join(folder, name);
      const alive = isAlive(owner);
      if (alive === false || (alive === null && (await isOld(path)))) await rm(path, SURELY);
    }
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EBUSY', 'EROFS', 'ENOTDIR'].includes(errno(error))) throw error;
  }
}

async function isOld(path: string): Promise<boolean> {
  const there = await orNull(stat(path));
  return there !== null && Date.now() - there.mtimeMs > DAY;
}
