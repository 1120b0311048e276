import type { Store } from '../store/store.ts';
import type { PlannedStep } from './plan.ts';

/**
 * Tests every file and folder that the steps write, without writing, so that a plan is refused before its first step
 * and a dry run has the same result. A store that is not on this machine is not tested.
 * @throws AppregError (exit 2) for the first file that cannot be written, as the write would
 */
export async function requireWritable(steps: readonly PlannedStep[], store: Store): Promise<void> {
  if (store.requireWritable === undefined) return;
  for (const step of steps) await store.requireWritable(step.path, step.kind === 'create' ? 'create' : 'replace');
}
