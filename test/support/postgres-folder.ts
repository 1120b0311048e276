import { chmodSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that the user of PostgreSQL gets to where the tests run as root. */
export async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'appreg-test-'));
  chmodSync(folder, 0o755);
  return folder;
}
