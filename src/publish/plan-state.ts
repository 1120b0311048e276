import type { AppregError } from '../core/errors.ts';
import { inWords as writtenInWords } from '../store/write-state.ts';
import type { Plan, Step } from './plan.ts';
import { NOTHING, type StepResult } from './step.ts';

function pathsOf(steps: readonly Step[]): string[] {
  return steps.map(({ path }) => path);
}

/** How far a plan was applied. */
export interface Progress {
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
  { results, hasStarted, isBatch }: Progress,
): AppregError {
  const original = error.message.trimEnd();
  const saysNothing = original.endsWith(NOTHING);
  const what = saysNothing ? original.slice(0, -NOTHING.length).trimEnd() : original;
  const done = steps.filter((step) => results.some((result) => result.step === step));
  const left = steps.filter((step) => !done.includes(step));
  const unknown = error.effect === 'none' ? [] : left.slice(0, countUnknown(left, isBatch));
  const written = {
    stored: pathsOf(done),
    notStored: pathsOf(left.slice(unknown.length)),
    unknown: pathsOf(unknown),
  };
  const isNothing = done.length === 0 && unknown.length === 0 && (saysNothing || !hasStarted);
  const state = isNothing ? NOTHING : writtenInWords(written);
  const again = done.length === 0 || /\bagain\b/.test(error.hint) ? '' : ' Then run the same command again to finish.';
  const message = state === '' ? what : `${what} ${state}`;
  return error.with({ message, hint: `${error.hint}${again}`, written });
}

/** The number of steps that may have been stored: of files written in parallel, it may be any. At least one. */
function countUnknown(left: readonly Step[], isBatch: boolean): number {
  if (isBatch) return Math.max(1, left.length);
  return Math.max(
    1,
    left.findIndex(({ kind }) => kind === 'edit'),
  );
}
