import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { orNull } from './disk-trouble.ts';
import { isAlive, tempOwner } from './owner.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * Removes what killed runs left beside `target`: temporary files of processes that are gone, or that ran on another
 * machine more than a day ago.
 */
export async function sweep(target: string): Promise<void> {
  const folder = dirname(target);
  const base = basename(target);
  for (const name of (await orNull(readdir(folder))) ?? []) {
    const owner = tempOwner(name, base);
    if (owner === null) continue;
    const path = join(folder, name);
    const alive = isAlive(owner);
    if (alive === false || (alive === null && (await isOld(path)))) await rm(path, { recursive: true, force: true });
  }
}

async function isOld(path: string): Promise<boolean> {
  const there = await orNull(stat(path));
  return there !== null && Date.now() - there.mtimeMs > DAY;
}
