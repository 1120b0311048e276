import { isAppregError } from '../core/errors.ts';
import { stopIfInterrupted } from '../store/interrupt.ts';
import { inPool } from '../store/pool.ts';
import { type BatchStore, isBatchStore, type Store, type Write } from '../store/store.ts';
import { applyBatch } from './apply-batch.ts';
import { applyStep } from './apply-step.ts';
import type { CreateStep, Plan, Step } from './plan.ts';
import { withPlanState } from './plan-state.ts';
import { preflight } from './preflight.ts';
import type { StepResult } from './step.ts';

export interface ApplyOptions {
  /** Called after every completed step. */
  onStep?(result: StepResult): void;
  /**
   * Called after each created file, before the next step, so that no document lists a file that cannot be fetched; also
   * for a file created by an earlier run if a document still has to be changed. An error ends the plan.
   */
  readBack?(step: CreateStep): Promise<void>;
}

/**
 * Applies the steps of a plan in order. All steps are checked first, so that refusals happen before anything is
 * written. Running it again after a failure applies the remaining steps. If the store supports atomic batches, and
 * nothing has to be read back in between, the plan is applied completely or not at all.
 * @throws AppregError that reports which steps were applied: `immutable` (exit 1) if a file exists with other bytes,
 * `not-utf8`, `document-missing`, `write-conflict`, and the errors of the store, of edits and of `readBack`
 */
export async function applyPlan(plan: Plan, store: Store, options: ApplyOptions = {}): Promise<StepResult[]> {
  const isBatch = isBatchStore(store) && !options.readBack;
  const progress: MutableProgress & { isBatch: boolean } = { results: [], hasStarted: false, isBatch };
  try {
    return isBatch
      ? await applyAtOnce(plan, store, options, progress)
      : await applyInOrder(plan, store, options, progress);
  } catch (error) {
    throw isAppregError(error) ? withPlanState(error, plan, progress) : error;
  }
}

interface MutableProgress {
  results: StepResult[];
  hasStarted: boolean;
}

async function applyAtOnce(
  plan: Plan,
  store: BatchStore,
  { onStep }: ApplyOptions,
  progress: MutableProgress,
): Promise<StepResult[]> {
  const write = async (writes: readonly Write[]): Promise<'written' | 'changed'> => {
    progress.hasStarted = true;
    stopIfInterrupted();
    const answer = await store.batch.write(writes, plan.title);
    progress.hasStarted = answer === 'written';
    return answer;
  };
  progress.results = await applyBatch(plan, store, write);
  for (const result of progress.results) onStep?.(result);
  return progress.results;
}

async function applyInOrder(
  plan: Plan,
  store: Store,
  { onStep, readBack }: ApplyOptions,
  progress: MutableProgress,
): Promise<StepResult[]> {
  const { results } = progress;
  await store.tidy?.(plan.steps.map(({ path }) => path));
  const { existing, changesDocument } = await preflight(plan, store);
  progress.hasStarted = true;
  for (const steps of inGroups(plan.steps, readBack !== undefined)) {
    await inPool(steps, store.concurrency ?? 1, async (step) => {
      stopIfInterrupted();
      const context = { isExpected: existing.has(step.path), why: reasonFor(plan, step) };
      const result = { step, outcome: await applyStep(step, store, context) };
      results.push(result);
      onStep?.(result);
    });
    const [step] = steps;
    if (step?.kind !== 'create' || !readBack) continue;
    if (results.at(-1)?.outcome === 'created' || changesDocument) await readBack(step);
  }
  return plan.steps.flatMap((step) => results.filter((result) => result.step === step));
}

/**
 * The commit message for stores with a history: the plan's title for its last step, which makes the others effective.
 */
function reasonFor({ steps, title }: Plan, step: Step): string | undefined {
  if (title === undefined || step === steps.at(-1)) return title;
  return `${step.kind === 'create' ? 'Add' : 'Update'} ${step.what}`;
}

/** Groups steps that may run concurrently: an edit lists files created before it, so it is a group of its own. */
function inGroups(steps: readonly Step[], isSequential: boolean): Step[][] {
  const groups: Step[][] = [];
  const paths = new Set<string>();
  for (const step of steps) {
    const last = groups.at(-1);
    const isAlone = isSequential || step.kind === 'edit' || paths.has(step.path);
    if (last === undefined || isAlone || last[0]?.kind === 'edit') {
      groups.push([step]);
      paths.clear();
    } else last.push(step);
    paths.add(step.path);
  }
  return groups;
}
