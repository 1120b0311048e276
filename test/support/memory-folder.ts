import { chmodSync, mkdirSync, readFileSync, statfsSync } from 'node:fs';

/** The file system in memory of Linux. */
const MEMORY = '/dev/shm';
/** The tests use less, and the machine needs the rest. */
const FREE_BYTES = 8 * 2 ** 30;

/**
 * A temporary folder in memory: tests create and delete a hundred thousand files, for which a disk takes a tenth of their
 * time. Null if there is no such file system, it is small, or it executes no programs: then tests use a disk.
 */
export function memoryFolder(): string | null {
  if (process.platform !== 'linux') return null;
  const options = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, place, type]) => place === MEMORY && type === 'tmpfs')?.[3];
  if (options === undefined || options.split(',').some((option) => option === 'noexec' || option === 'ro')) return null;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < FREE_BYTES) return null;
  const folder = `${MEMORY}/appreg-tests`;
  // As /tmp: for all users, who remove only their own files.
  if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o1777);
  return folder;
}
