import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * An empty folder on a file system that finds a file under its name in any case, and keeps the case it was created
 * with: that of temporary files on Windows and macOS; on Linux a FAT file system in an image, mounted by `fusefat`.
 * @returns its real path, gone after the test, or why there is none on this machine
 */
export function caseInsensitiveFolder(): string | { missing: string } {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'appreg-case-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (findsAnyCase(folder)) return folder;
  const [image, mounted] = [join(folder, 'image'), join(folder, 'mounted')];
  writeFileSync(image, '');
  truncateSync(image, 16 * 1024 * 1024);
  mkdirSync(mounted);
  const made = spawnSync('mkfs.vfat', [image], { env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` } });
  if (made.status !== 0) return { missing: 'mkfs.vfat is not installed (apt-get install dosfstools)' };
  const { status } = spawnSync('fusefat', ['-o', 'rw+', image, mounted], { stdio: 'ignore' });
  if (status !== 0) return { missing: 'fusefat does not mount (apt-get install fusefat; needs /dev/fuse)' };
  onTestFinished(() => void execFileSync('fusermount', ['-u', mounted]));
  if (!findsAnyCase(mounted)) return { missing: 'fusefat tells case here' };
  return mounted;
}

function findsAnyCase(folder: string): boolean {
  writeFileSync(join(folder, 'Probe'), '');
  const found = existsSync(join(folder, 'pROBE'));
  rmSync(join(folder, 'Probe'));
  return found;
}
