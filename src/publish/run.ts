import { type AppregError, isAppregError } from '../core/errors/error.ts';
import { describeWriteState } from '../store/journal.ts';
import { applyPlan, type ApplyOptions } from './apply-plan.ts';
import { PlanOutdated, type StepResult } from './apply-step.ts';
import { signedPlan } from './companion.ts';
import { requireWritable } from './require-writable.ts';
import type { Plan, PlannedStep } from './plan.ts';
import type { RegistryLocation } from './registry-location.ts';

/** What a command plans: the steps, with what it reports about them. */
interface Planned {
  plan: Plan<PlannedStep>;
  /** The files that the command may write, besides those of the steps: what killed runs left next to them is removed. */
  files?: readonly string[];
}

export interface RunOptions<P> extends Omit<ApplyOptions, 'readBack' | 'refusesOutdated'> {
  /** Shows the plan: nothing is signed, tidied or written. */
  dryRun?: boolean | undefined;
  /** As `ApplyOptions.readBack`, for the plan that is applied. */
  readBack?: ((planned: P) => ApplyOptions['readBack']) | undefined;
  /**
   * Whether the plan is made again after an error of planning it or of applying it (default: never).
   * @param planned null if the plan could not be made
   */
  mayPlanAgain?(error: AppregError, planned: P | null): boolean;
}

export interface Outcome<P> {
  planned: P;
  /** Of each step; empty for a dry run. */
  results: StepResult[];
}

/** How often a plan is made again because a document changed; then its edits are computed again on what is stored. */
const TIMES = 3;

/**
 * Makes a plan, and applies it. If a document has changed since the plan read it, and none is written yet, the plan is
 * made again, so that everything is judged and checked on what is stored now.
 * @param make reads the documents and plans; called again for each attempt
 * @throws AppregError of `make` and `applyPlan`, with what is stored
 */
export async function run<P extends Planned>(
  store: RegistryLocation['store'],
  make: () => Promise<P>,
  { dryRun = false, readBack, mayPlanAgain, ...options }: RunOptions<P> = {},
): Promise<Outcome<P>> {
  const earlier = new EarlierAttempts();
  for (let outdated = 0; ;) {
    let planned: P | null = null;
    try {
      planned = await make();
      if (dryRun) {
        await requireWritable(planned.plan.steps, store);
        return { planned, results: [] };
      }
      const plan = await signedPlan(planned.plan);
      planned = { ...planned, plan };
      await store.tidy?.([...(planned.files ?? []), ...plan.steps.map(({ path }) => path)]);
      const reading = readBack?.(planned);
      const refusesOutdated = outdated < TIMES;
      const results = await applyPlan(plan, store, {
        ...options,
        ...(reading && { readBack: reading }),
        refusesOutdated,
      });
      return earlier.joined(planned, results);
    } catch (error) {
      if (error instanceof PlanOutdated) {
        outdated += 1;
        earlier.add(error.created);
      } else if (isAppregError(error) && mayPlanAgain?.(error, planned) === true) {
        earlier.leave(error.written?.stored ?? []);
      } else throw isAppregError(error) ? withCreated(error, earlier.paths) : error;
      store.forget?.();
    }
  }
}

/** What earlier attempts of a run created. */
class EarlierAttempts {
  readonly #results: StepResult[] = [];
  readonly #left: string[] = [];

  add(results: readonly StepResult[]): void {
    this.#results.push(...results);
  }

  /** Files of a plan that was given up for another one, which does not have them. */
  leave(paths: readonly string[]): void {
    this.#left.push(...paths);
  }

  get paths(): string[] {
    return [...this.#left, ...this.#results.map(({ step }) => step.path)];
  }

  /** The outcome of all attempts: a file that an earlier one created has been created by this run. */
  joined<P extends Planned>(planned: P, results: readonly StepResult[]): Outcome<P> {
    const created = new Set(this.#results.map(({ step }) => step.path));
    const paths = new Set(planned.plan.steps.map(({ path }) => path));
    const others = this.#results.filter(({ step }) => !paths.has(step.path));
    const own = results.map((result) =>
      result.outcome === 'already-there' && created.has(result.step.path)
        ? { ...result, outcome: 'created' as const }
        : result,
    );
    const steps = [...others.map(({ step }) => step), ...planned.plan.steps];
    return { planned: { ...planned, plan: { ...planned.plan, steps } }, results: [...others, ...own] };
  }
}

/** The same error, with the files that earlier attempts created. */
export function withCreated(error: AppregError, created: Iterable<string>): AppregError {
  const before = new Set(created);
  const { stored, notStored, unknown } = error.written ?? { stored: [], notStored: [], unknown: [] };
  const others = [...before].filter((path) => !stored.includes(path) && !unknown.includes(path));
  if (others.length === 0) return error;
  const written = { stored: [...others, ...stored], notStored: notStored.filter((path) => !before.has(path)), unknown };
  return error.with({
    written,
    effect: error.effect === 'unknown' ? 'unknown' : 'applied',
    state: describeWriteState(written),
  });
}
