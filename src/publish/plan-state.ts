import type { AppregError, Effect } from '../core/errors.ts';
import { describeWriteState as writtenInWords } from '../store/write-state.ts';
import type { Plan, Step } from './plan.ts';
import type { StepResult } from './step.ts';

function pathsOf(steps: readonly Step[]): string[] {
  return steps.map(({ path }) => path);
}

/** How far a plan was applied. */
export interface PlanProgress {
  results: readonly StepResult[];
  /** True once the first write may have been sent. */
  hasStarted: boolean;
  /** True if all steps are one write. */
  isBatch: boolean;
}

/** The same error, with the state of the whole plan in place of that of a single file. */
export function withPlanState(
  error: AppregError,
  { steps }: Plan,
  { results, hasStarted, isBatch }: PlanProgress,
): AppregError {
  const { effect } = error;
  const done = steps.filter((step) => results.some((result) => result.step === step));
  const remaining = steps.filter((step) => !done.includes(step));
  const affected = remaining.slice(0, countAffected(effect, remaining, isBatch));
  const written = {
    stored: pathsOf(effect === 'applied' ? [...done, ...affected] : done),
    notStored: pathsOf(remaining.slice(affected.length)),
    unknown: pathsOf(effect === 'unknown' ? affected : []),
  };
  const advisesRepeat = error.advisesRepeat || done.length > 0;
  const isNewAdvice = advisesRepeat && !error.advisesRepeat;
  const hint = `${error.hint}${isNewAdvice ? ' Then run the same command again to finish.' : ''}`;
  if (done.length === 0 && affected.length === 0 && (effect === 'none' || !hasStarted))
    return error.with({ hint, advisesRepeat, written, effect: 'none' });
  const ofStep = effect === 'none' ? '' : error.state;
  const state = [ofStep, writtenInWords(written)].filter((sentence) => sentence !== '').join(' ');
  return error.with({
    hint,
    advisesRepeat,
    written,
    state,
    effect: effect === 'unknown' || done.length === 0 ? effect : 'applied',
  });
}

/** How many of the remaining steps the failed write applied, or may have applied. */
function countAffected(effect: Effect | null, left: readonly Step[], isBatch: boolean): number {
  if (effect === null || effect === 'none') return 0;
  if (isBatch) return Math.max(1, left.length);
  if (effect === 'applied') return 1;
  // Of files written in parallel, it can be any.
  return Math.max(
    1,
    left.findIndex(({ kind }) => kind === 'edit'),
  );
}
