import { type AppregError, isAppregError } from '../core/errors/error.ts';
import { describeWriteState } from '../store/journal.ts';
import type { Store } from '../store/store.ts';
import { applyPlan, type ApplyOptions } from './apply-plan.ts';
import { PlanOutdated, type StepResult } from './apply-step.ts';
import type { EditStep } from './edit-step.ts';
import { requireWritable } from './require-writable.ts';
import type { CreateStep, Plan, PlannedStep } from './plan.ts';
import { signedPlan } from './sign.ts';
import type { RegistryLocation } from './registry-location.ts';

/** Plan of a command: the steps, with what it reports about them. */
interface Planned {
  plan: Plan<PlannedStep>;
  /** The files that the command may write, besides those of the steps: what killed runs left next to them is removed. */
  files?: readonly string[];
}

export interface RunOptions<P> extends Omit<ApplyOptions, 'readBack' | 'refusesOutdated'> {
  /** Shows the plan: nothing is signed, tidied or written. */
  dryRun?: boolean | undefined;
  /** The folder of the workspace, for the steps of a plan that are not in the store; null or absent without such steps. */
  workspace?: Store | null;
  /** As `ApplyOptions.readBack`, with the plan that is applied. */
  readBack?: ((step: CreateStep, planned: P) => Promise<void>) | undefined;
  /**
   * True if the plan is made again after an error of planning it or of applying it (default: never).
   * @param planned null if the plan could not be made
   */
  mayPlanAgain?(error: AppregError, planned: P | null): boolean;
}

export interface Outcome<P> {
  planned: P;
  /** Of each step; empty for a dry run. */
  results: StepResult[];
  /** The reason why the lock file of the workspace does not have what is stored; null if it has. */
  notRecorded: AppregError | null;
}

type Applied<P> = Pick<Outcome<P>, 'planned' | 'results'>;

/**
 * Number of times that a plan is made again because a document changed; then its edits are computed again on what is
 * stored.
 */
const TIMES = 3;

/**
 * Makes a plan, and applies it. If a document has changed since the plan read it, and none is written yet, the plan is
 * made again, so that everything is judged and checked on what is stored now.
 * @param make reads the documents and plans; called again for each attempt
 * @returns also if only the steps in the workspace fail, since the registry then has everything
 * @throws AppregError of `make` and `applyPlan`, with what is stored
 */
export async function run<P extends Planned>(
  store: RegistryLocation['store'],
  make: () => Promise<P>,
  { dryRun = false, workspace = null, readBack, mayPlanAgain, ...options }: RunOptions<P> = {},
): Promise<Outcome<P>> {
  const earlier = new EarlierAttempts();
  for (let outdated = 0; ;) {
    let planned: P | null = null;
    let outcome: Applied<P>;
    try {
      planned = await make();
      const [stored, local] = byStore(planned.plan);
      if (workspace !== null) await requireWritable(local.steps, workspace);
      if (dryRun) {
        await requireWritable(stored.steps, store);
        return { planned, results: [], notRecorded: null };
      }
      const plan = await signedPlan(stored);
      planned = { ...planned, plan: { ...plan, steps: [...plan.steps, ...local.steps] } };
      await store.tidy?.([...(planned.files ?? []), ...plan.steps.map(({ path }) => path)]);
      const current = planned;
      const refusesOutdated = outdated < TIMES;
      const results = await applyPlan(plan, store, {
        ...options,
        ...(readBack && { readBack: (step: CreateStep) => readBack(step, current) }),
        refusesOutdated,
      });
      outcome = earlier.joined(planned, results);
    } catch (error) {
      if (error instanceof PlanOutdated) {
        outdated += 1;
        earlier.add(error.created);
      } else if (isAppregError(error) && mayPlanAgain?.(error, planned) === true) {
        earlier.leave(error.written?.stored ?? []);
      } else throw isAppregError(error) ? withCreated(error, earlier.paths) : error;
      store.forget?.();
      continue;
    }
    return recorded(outcome, workspace);
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
  workspace: Store | null,
): Promise<Outcome<P>> {
  if (workspace === null) return { planned, results, notRecorded: null };
  const [, local] = byStore(planned.plan);
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

/** A `make` for `run` whose first plan is made already. */
export function startingWith<P>(first: P, again: () => Promise<P>): () => Promise<P> {
  let left: P | null = first;
  return async () => {
    const planned = left ?? (await again());
    left = null;
    return planned;
  };
}

function isLocal(step: PlannedStep): step is EditStep {
  return step.place === 'workspace-lock';
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
  joined<P extends Planned>(planned: P, results: readonly StepResult[]): Applied<P> {
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
