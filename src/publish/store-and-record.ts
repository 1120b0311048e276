import { type AppregError, isAppregError } from '../core/errors/error.ts';
import type { Store } from '../store/store.ts';
import { applyPlan, type ApplyOptions } from './apply-plan.ts';
import type { StepResult } from './apply-step.ts';
import type { Plan, PlannedStep, Step } from './plan.ts';
import { requireWritable } from './require-writable.ts';
import { isOfWorkspace } from './role.ts';
import { signedPlan } from './sign.ts';

/** Plan of a command: the steps, with what it reports about them. */
export interface Planned {
  plan: Plan<PlannedStep>;
  /** The files that the command may write, besides those of the steps: what killed runs left next to them is removed. */
  files?: readonly string[];
}

export interface StoreOptions extends Pick<ApplyOptions, 'readBack' | 'refusesOutdated'> {
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
 * Carries out a plan:
 * 1. Requires that every file of the plan can be written, in the workspace and in the store; a dry run ends here.
 * 2. Signs.
 * 3. Stores, in the order of the roles: an artifact is read back through its public URL before a document lists it.
 * 4. Records in the workspace.
 * @throws AppregError of `requireWritable`, `signedPlan` and `applyPlan`; `PlanOutdated` as `applyPlan` does. What the
 * workspace could not record is no error, but a part of the outcome, since the registry has everything
 */
export async function storeAndRecord<P extends Planned>(
  planned: P,
  store: Store,
  { dryRun = false, workspace = null, readBack, refusesOutdated = false }: StoreOptions,
): Promise<Outcome<P>> {
  const [remote, local] = byStore(planned.plan);
  if (workspace !== null) await requireWritable(local.steps, workspace);
  await requireWritable(remote.steps, store);
  if (dryRun) return { planned, results: [], notRecorded: null };
  const signed = await signedPlan(remote);
  const results = await applyPlan(signed, store, { files: planned.files, readBack, refusesOutdated });
  const stored = { ...planned, plan: { ...signed, steps: [...signed.steps, ...local.steps] } };
  if (workspace === null) return { planned: stored, results, notRecorded: null };
  return { planned: stored, ...(await recorded(results, local, workspace)) };
}

/** The steps in the store, and those in the workspace. */
function byStore(plan: Plan<PlannedStep>): [stored: Plan<PlannedStep>, local: Plan] {
  return [
    { ...plan, steps: plan.steps.filter((step) => !isLocal(step)) },
    { steps: plan.steps.filter((step) => isLocal(step)) },
  ];
}

/** The results, after the steps in the workspace are applied as well. */
async function recorded(
  results: readonly StepResult[],
  local: Plan,
  workspace: Store,
): Promise<Pick<Outcome<Planned>, 'results' | 'notRecorded'>> {
  try {
    return { results: [...results, ...(await applyPlan(local, workspace))], notRecorded: null };
  } catch (error) {
    if (!isAppregError(error)) throw error;
    const done = results.filter(({ outcome }) => outcome === 'created' || outcome === 'edited');
    const paths = local.steps.map(({ path }) => path);
    const written = { stored: done.map(({ step }) => step.path), notStored: paths, unknown: [] };
    return { results: [...results], notRecorded: error.with({ written }) };
  }
}

function isLocal(step: PlannedStep): step is Step {
  return isOfWorkspace(step.role);
}
