// A demo leaves nothing in the folders that appreg keeps for its user.
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Every appreg that this process starts from now on has its certificate authority in a temporary folder, and no cache.
 * The folder is removed when the process ends, also by a signal that nothing else handles.
 */
export function useTemporaryFolders() {
  const folder = mkdtempSync(join(tmpdir(), 'appreg-demo-'));
  process.env.APPREG_CA_DIR = join(folder, 'local-ca');
  process.env.APPREG_CACHE_DIR = '';
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
}
