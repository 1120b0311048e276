import { printable } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';
import { readAll } from '../store/read-all.ts';
import type { Store } from '../store/store.ts';
import type { Plan } from './plan.ts';

/**
 * Plans files that must not be there yet; those that are there with the same bytes need no step.
 * @throws Trouble `exists` (exit 1) that names every file which is there with other bytes
 */
export async function planFiles(
  store: Store,
  files: readonly { path: string; text: string; what: string }[],
): Promise<Plan> {
  const plan: Plan = { steps: [] };
  const taken: string[] = [];
  const found = await readAll(
    store,
    files.map(({ path }) => path),
  );
  for (const { path, text, what } of files) {
    const bytes = Buffer.from(text);
    const there = found.get(path);
    if (!there) plan.steps.push({ kind: 'create', path, bytes, what });
    else if (!bytes.equals(there.bytes)) taken.push(path);
  }
  if (taken.length === 0) return plan;
  throw new Trouble(
    'exists',
    `${printable(taken.join(', '))} in ${printable(store.name)} ${taken.length === 1 ? 'is' : 'are'} there already, and not as it would be written now. Nothing was changed.`,
    'Choose another folder, or move it away. For a registry that is there already, an appreg.config.json with its "manifest" and "baseUrl" is all that is needed.',
    { exit: 1 },
  );
}
