import { type AppregError, isAppregError } from '../core/errors/error.ts';
import { describeWriteState } from '../store/journal.ts';
import type { Store } from '../store/store.ts';
import { applyPlan, type ApplyOptions } from './apply-plan.ts';
import { PlanOutdated, type StepResult } from './apply-step.ts';
import { requireWritable } from './require-writable.ts';
import type { Plan, PlannedStep, Step } from './plan.ts';
import { isOfWorkspace } from './role.ts';
import { signedPlan } from './sign.ts';
import type { RegistryLocation } from './registry-location.ts';

/** Plan of a command: the steps, with what it reports about them. */
interface Planned {
  plan: Plan<PlannedStep>;
  /** The files that the command may write, besides those of the steps: what killed runs left next to them is removed. */
  files?: readonly string[];
}

export interface AttemptOptions extends Pick<ApplyOptions, 'readBack'> {
  /** Shows the plan: nothing is signed, tidied or written. */
  dryRun?: boolean | undefined;
  /** The folder of the workspace, for the steps of a plan that are not in the store; null or absent without such steps. */
  workspace?: Store | null;
}

export interface Outcome<P> {
  planned: P;
  /** Of each step; empty for a dry run. */
  results: StepResult[];
  /** The reason why the files of the workspace do not have what is stored; null if they have. */
  notRecorded: AppregError | null;
}

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

type Applied<P> = Pick<Outcome<P>, 'planned' | 'results'>;

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
    const attempt = await attempts.storeAndRecord(plan());
    if (attempt.kind === 'applied') return attempt.outcome;
    if (attempt.kind === 'failed') throw attempt.error;
  }
}

/** Attempts to store and record a plan that is made again in between. They know what the ones before have created. */
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

  /** The last plan that could be made; null if there is none. */
  get lastPlan(): P | null {
    return this.#lastPlan;
  }

  /**
   * Stores a plan and records it, as `#storeAndRecord` does.
   * @throws all errors that are not expected, such as a defect of the program
   */
  async storeAndRecord(planning: P | Promise<P>): Promise<Attempt<P>> {
    let planned: P | null = null;
    try {
      planned = await planning;
      this.#lastPlan = planned;
      return { kind: 'applied', outcome: await this.#storeAndRecord(planned) };
    } catch (error) {
      this.#store.forget?.();
      if (error instanceof PlanOutdated) {
        this.#outdated += 1;
        this.#earlier.add(error.created);
        return { kind: 'outdated' };
      }
      if (!isAppregError(error)) throw error;
      const known = withCreated(error, this.#earlier.paths);
      this.#earlier.leave(error.written?.stored ?? []);
      return { kind: 'failed', planned, error: known };
    }
  }

  /**
   * In this order: requires that the workspace can be written; signs; requires the same of the store (`applyPlan`), and
   * stores, with an artifact read back before a document lists it; records in the lock file of the workspace. A dry run
   * requires both, and ends.
   */
  async #storeAndRecord(planned: P): Promise<Outcome<P>> {
    const { dryRun = false, workspace = null, readBack } = this.#options;
    const [remote, local] = byStore(planned.plan);
    if (workspace !== null) await requireWritable(local.steps, workspace);
    if (dryRun) {
      await requireWritable(remote.steps, this.#store);
      return { planned, results: [], notRecorded: null };
    }
    const signed = await signedPlan(remote);
    const refusesOutdated = this.#outdated < TIMES;
    const results = await applyPlan(signed, this.#store, { files: planned.files, readBack, refusesOutdated });
    const plan = { ...signed, steps: [...signed.steps, ...local.steps] };
    const stored = this.#earlier.joined({ planned: { ...planned, plan }, results });
    return workspace === null ? { ...stored, notRecorded: null } : await recorded(stored, local, workspace);
  }
}

/** The steps in the store, and those in the workspace. */
function byStore(plan: Plan<PlannedStep>): [stored: Plan<PlannedStep>, local: Plan] {
  return [
    { ...plan, steps: plan.steps.filter((step) => !isLocal(step)) },
    { steps: plan.steps.filter((step) => isLocal(step)) },
  ];
}

/** The outcome, after the steps in the workspace are applied as well. */
async function recorded<P extends Planned>(
  { planned, results }: Applied<P>,
  local: Plan,
  workspace: Store,
): Promise<Outcome<P>> {
  try {
    return { planned, results: [...results, ...(await applyPlan(local, workspace))], notRecorded: null };
  } catch (error) {
    if (!isAppregError(error)) throw error;
    const done = results.filter(({ outcome }) => outcome === 'created' || outcome === 'edited');
    const paths = local.steps.map(({ path }) => path);
    const written = { stored: done.map(({ step }) => step.path), notStored: paths, unknown: [] };
    return { planned, results, notRecorded: error.with({ written }) };
  }
}

function isLocal(step: PlannedStep): step is Step {
  return isOfWorkspace(step.role);
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
  joined<P extends Planned>({ planned, results }: Applied<P>): Applied<P> {
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
