import { readdirSync } from 'node:fs';
import { folder } from '../support/folders.ts';

/** An empty folder that is gone after the tests of the file. */
export function scratch(): string {
  return folder();
}

/** Everything below a folder that a write may leave behind: temporary files and locks. */
export function leftovers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(tmp|lock)$/.test(name));
}

/** Waits for a condition without an event. */
export async function waitUntil(holds: () => boolean, limit = 60_000): Promise<void> {
  const end = performance.now() + limit;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`the condition was not met within ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
