import { type AppregError, isAppregError } from '../core/errors/error.ts';
import { describeWriteState } from '../store/journal.ts';
import { PlanOutdated, type StepResult } from './apply-step.ts';
import type { RegistryLocation } from './registry-location.ts';
import { type Outcome, type Planned, storeAndRecord, type StoreOptions } from './store-and-record.ts';

export type AttemptOptions = Omit<StoreOptions, 'refusesOutdated'>;

/**
 * Result of an attempt. `applied`: also if only the steps in the workspace failed, since the registry then has everything.
 * `outdated`: a document has changed since the plan read it, and none is written yet, so the plan has to be made again.
 * `failed`: the plan could not be made (`planned` is null) or applied; the error names what is stored, also by the attempts
 * before.
 */
export type Attempt<P> =
  | { kind: 'applied'; outcome: Outcome<P> }
  | { kind: 'outdated' }
  | { kind: 'failed'; planned: P | null; error: AppregError };

/**
 * Number of times that a plan is made again because a document changed; then its edits are computed again on what is
 * stored.
 */
const TIMES = 3;

/**
 * Makes a plan, and applies it; again while it is outdated, so that everything is judged and checked on what is stored now.
 * @param plan reads the documents and plans
 * @throws AppregError of `plan` and `applyPlan`, with what is stored
 */
export async function planAndApply<P extends Planned>(
  store: RegistryLocation['store'],
  plan: () => Promise<P>,
  options: AttemptOptions = {},
): Promise<Outcome<P>> {
  const attempts = new Attempts<P>(store, options);
  for (;;) {
    const attempt = await attempts.attempt(plan());
    if (attempt.kind === 'applied') return attempt.outcome;
    if (attempt.kind === 'failed') throw attempt.error;
  }
}

/** Attempts to apply a plan that is made again in between. They know what the ones before have created. */
export class Attempts<P extends Planned> {
  readonly #store: RegistryLocation['store'];
  readonly #options: AttemptOptions;
  readonly #earlier = new EarlierAttempts();
  #outdated = 0;
  #lastPlan: P | null = null;

  constructor(store: RegistryLocation['store'], options: AttemptOptions = {}) {
    this.#store = store;
    this.#options = options;
  }

  /** The last plan that was tried; null if there is none. */
  get lastPlan(): P | null {
    return this.#lastPlan;
  }

  /**
   * Applies a plan, as `storeAndRecord` does.
   * @returns the outcome of this attempt and of those before
   * @throws what `after` takes
   */
  async apply(planned: P): Promise<Outcome<P>> {
    this.#lastPlan = planned;
    const refusesOutdated = this.#outdated < TIMES;
    return this.#earlier.joined(await storeAndRecord(planned, this.#store, { ...this.#options, refusesOutdated }));
  }

  /**
   * Ends an attempt that failed, or whose plan could not be made.
   * @returns null if the plan is outdated, and has to be made again; otherwise the error, with what is stored
   * @throws all errors that are not expected, such as a defect of the program
   */
  after(error: unknown): AppregError | null {
    this.#store.forget?.();
    if (error instanceof PlanOutdated) {
      this.#outdated += 1;
      this.#earlier.add(error.created);
      return null;
    }
    if (!isAppregError(error)) throw error;
    const known = withCreated(error, this.#earlier.paths);
    this.#earlier.leave(error.written?.stored ?? []);
    return known;
  }

  /**
   * Applies a plan, and says how that ended.
   * @throws all errors that are not expected
   */
  async attempt(planning: P | Promise<P>): Promise<Attempt<P>> {
    let planned: P | null = null;
    try {
      planned = await planning;
      return { kind: 'applied', outcome: await this.apply(planned) };
    } catch (thrown) {
      const error = this.after(thrown);
      return error === null ? { kind: 'outdated' } : { kind: 'failed', planned, error };
    }
  }
}

/** Files that earlier attempts of a run created. */
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
  joined<P extends Planned>({ planned, results, notRecorded }: Outcome<P>): Outcome<P> {
    const created = new Set(this.#results.map(({ step }) => step.path));
    const paths = new Set(planned.plan.steps.map(({ path }) => path));
    const others = this.#results.filter(({ step }) => !paths.has(step.path));
    const own = results.map((result) =>
      result.outcome === 'already-there' && created.has(result.step.path)
        ? { ...result, outcome: 'created' as const }
        : result,
    );
    const steps = [...others.map(({ step }) => step), ...planned.plan.steps];
    return { planned: { ...planned, plan: { ...planned.plan, steps } }, results: [...others, ...own], notRecorded };
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
