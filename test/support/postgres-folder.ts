import { chmodSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that the user of PostgreSQL gets to where the tests run as root. */
export async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'appreg-test-'));
  chmodSync(folder, 0o755);
  return folder;
}

/** The process of the folder's PostgreSQL; null if none runs. */
export function postmasterPid(folder: string): number | null {
  try {
    const pid = Number(readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}
