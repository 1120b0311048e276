import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const temporaryFolders: string[] = [];
afterAll(() => {
  for (const folder of temporaryFolders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that is gone after the tests of the file. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'appreg-store-'));
  temporaryFolders.push(folder);
  return folder;
}

/** Everything below a folder that a write may leave behind: temporary files and locks. */
export function leftovers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(tmp|lock)$/.test(name));
}

/** Waits for a condition without an event. */
export async function waitUntil(holds: () => boolean, limit = 10_000): Promise<void> {
  const end = performance.now() + limit;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`the condition was not met within ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
