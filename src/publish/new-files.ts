import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';
import { readAll } from '../store/pool.ts';
import type { Store } from '../store/store.ts';
import type { Plan } from './plan.ts';

/**
 * Plans files that must not exist yet. An existing file with the same text needs no step; it may have CRLF line
 * endings, as in a checkout on Windows.
 * @throws AppregError `already-exists` (exit 1) that names every file with a different text
 */
export async function planFiles(
  store: Store,
  files: readonly { path: string; text: string; what: string }[],
  title = 'Create the registry',
): Promise<Plan> {
  const plan: Plan = { title, steps: [] };
  const taken: string[] = [];
  const found = await readAll(
    store,
    files.map(({ path }) => path),
  );
  for (const { path, text, what } of files) {
    const existing = found.get(path);
    if (!existing) plan.steps.push({ kind: 'create', path, bytes: Buffer.from(text), what });
    else if (!isSameText(existing.bytes, text)) taken.push(path);
  }
  if (taken.length === 0) return plan;
  throw new AppregError(
    'already-exists',
    message`${taken.join(', ')} in ${store.name} already ${taken.length === 1 ? 'exists' : 'exist'} with different content.`,
    message`Choose another folder, or move the existing files. An existing registry only needs an appreg.config.json with "manifest" and "baseUrl".`,
    { effect: 'none' },
  );
}

/** Compares bytes, then text without carriage returns before line feeds. */
function isSameText(bytes: Uint8Array, text: string): boolean {
  const existing = Buffer.from(bytes);
  return existing.equals(Buffer.from(text)) || existing.toString().replaceAll('\r\n', '\n') === text;
}
