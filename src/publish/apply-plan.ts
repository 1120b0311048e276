import type { NewVersion } from '../author/metadata.ts';
import { joined, message, safe } from '../core/text/message.ts';
import { isAppregError, type AppregError, type Effect } from '../core/errors/error.ts';
import { stopIfInterrupted } from '../store/interrupt.ts';
import { inPool, readAll } from '../store/pool.ts';
import { type BatchStore, isBatchStore, type Store, type Write } from '../store/store.ts';
import { applyBatch } from './apply-batch.ts';
import {
  applyStep,
  type StepResult,
  assertSameBytes,
  documentMissing,
  PlanOutdated,
  refuseOutdated,
} from './apply-step.ts';
import { decodeDocument } from './decode-document.ts';
import type { EditStep } from './edit-step.ts';
import type { Plan, Step } from './plan.ts';
import { isFileBytes } from '../store/bytes.ts';
import { describeWriteState as writtenInWords } from '../store/journal.ts';

export interface ApplyOptions {
  /** Called after every completed step. */
  onStep?(result: StepResult): void;
  /**
   * Fetches a created artifact from its public URL before the next step, so that no document lists a file that cannot be
   * fetched; also one created by an earlier run if a document still has to be changed. An error ends the plan. With it,
   * each step is a write of its own, also in a store with atomic batches.
   */
  readBack?: ((entry: NewVersion) => Promise<void>) | undefined;
  /** Files besides those of the steps: what killed runs left next to them is removed too. */
  files?: readonly string[] | undefined;
  /**
   * Gives the plan up with `PlanOutdated` if a document is in another state than the plan was made on, and none
   * is written yet. Otherwise the edit is computed again (default).
   */
  refusesOutdated?: boolean;
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
    if (error instanceof PlanOutdated) throw new PlanOutdated(error.path, progress.results.filter(isCreated));
    throw isAppregError(error) ? withPlanState(error, plan, progress) : error;
  }
}

function isCreated({ outcome }: StepResult): boolean {
  return outcome === 'created';
}

interface MutableProgress {
  results: StepResult[];
  hasStarted: boolean;
}

async function applyAtOnce(
  plan: Plan,
  store: BatchStore,
  { onStep, refusesOutdated }: ApplyOptions,
  progress: MutableProgress,
): Promise<StepResult[]> {
  const write = async (writes: readonly Write[]): Promise<'written' | 'changed'> => {
    progress.hasStarted = true;
    stopIfInterrupted();
    const answer = await store.batch.write(writes, plan.title);
    progress.hasStarted = answer === 'written';
    return answer;
  };
  progress.results = await applyBatch(plan, store, write, refusesOutdated);
  for (const result of progress.results) onStep?.(result);
  return progress.results;
}

async function applyInOrder(
  plan: Plan,
  store: Store,
  { onStep, readBack, files = [], refusesOutdated = false }: ApplyOptions,
  progress: MutableProgress,
): Promise<StepResult[]> {
  const { results } = progress;
  await store.tidy?.([...files, ...plan.steps.map(({ path }) => path)]);
  const { existing, changesDocument } = await preflight(plan, store, refusesOutdated);
  progress.hasStarted = true;
  for (const steps of inGroups(plan.steps, readBack !== undefined)) {
    await inPool(steps, store.concurrency ?? 1, async (step) => {
      stopIfInterrupted();
      const context = {
        isExpected: existing.has(step.path),
        why: reasonFor(plan, step),
        refusesOutdated: refusesOutdated && !results.some(isEdited),
      };
      const result = { step, outcome: await applyStep(step, store, context) };
      results.push(result);
      onStep?.(result);
    });
    const [step] = steps;
    if (step?.kind !== 'create' || step.artifactOf === undefined || !readBack) continue;
    if (results.at(-1)?.outcome === 'created' || changesDocument) await readBack(step.artifactOf);
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

/** Checks every step without writing; returns the paths of existing files, and whether a document will be changed. */
async function preflight(
  plan: Plan,
  store: Store,
  refusesOutdated: boolean,
): Promise<{ existing: ReadonlySet<string>; changesDocument: boolean }> {
  const existing = new Set<string>();
  const creates = plan.steps.filter((step) => step.kind === 'create');
  await inPool(creates, store.concurrency ?? 1, async (step) => {
    const digest = await store.digest(step.path);
    if (digest === null) return;
    assertSameBytes(step, digest);
    existing.add(step.path);
  });
  const documents = await readAll(
    store,
    plan.steps.filter(({ kind }) => kind !== 'create').map(({ path }) => path),
  );
  for (const path of documents.keys()) existing.add(path);
  /** Texts after the preceding steps. */
  const texts = new Map<string, string>();
  let changesDocument = false;
  for (const step of plan.steps) {
    if (step.kind !== 'edit') continue;
    const stored = documents.get(step.path);
    if (refusesOutdated) refuseOutdated(step, stored);
    const text = texts.get(step.path) ?? (stored === undefined ? createdText(step, plan) : null);
    const changed =
      text !== null ? step.textAfter(text) : stored === undefined ? firstText(step) : step.textFor(stored);
    if (changed === null) continue;
    texts.set(step.path, changed);
    changesDocument = true;
  }
  return { existing, changesDocument };
}

/** The text that an earlier step creates; null if none does. */
function createdText(edit: EditStep, { steps }: Plan): string | null {
  const created = steps.slice(0, steps.indexOf(edit)).find((step) => step.path === edit.path);
  if (created?.kind !== 'create' || isFileBytes(created.bytes)) return null;
  return decodeDocument(created.bytes, edit.path);
}

/** The text of a new document. @throws AppregError for one that existed, and is missing */
function firstText(edit: EditStep): string {
  if (edit.isNew) return edit.to.text;
  throw documentMissing(edit.path);
}

function isEdited({ step, outcome }: StepResult): boolean {
  return step.kind === 'edit' && outcome !== 'unchanged';
}

function pathsOf(steps: readonly Step[]): string[] {
  return steps.map(({ path }) => path);
}

/** Progress of the application of a plan. */
interface PlanProgress {
  results: readonly StepResult[];
  /** True once the first write may have been sent. */
  hasStarted: boolean;
  /** True if all steps are one write. */
  isBatch: boolean;
}

/** The same error, with the state of the whole plan in place of that of a single file. */
function withPlanState(
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
  // A hint that ends with a path has no full stop, which would look like a part of it.
  const then = error.hint.endsWith('.') ? ' Then' : '; then';
  const hint = message`${safe(error.hint)}${isNewAdvice ? `${then} run the same command again to finish.` : ''}`;
  if (done.length === 0 && affected.length === 0 && (effect === 'none' || !hasStarted))
    return error.with({ hint, advisesRepeat, written, effect: 'none' });
  const ofStep = effect === 'none' ? '' : error.state;
  const state = joined(
    [ofStep, writtenInWords(written)].filter((sentence) => sentence !== ''),
    ' ',
  );
  return error.with({
    hint,
    advisesRepeat,
    written,
    state,
    effect: effect === 'unknown' || done.length === 0 ? effect : 'applied',
  });
}

/** Number of the remaining steps that the failed write applied, or may have applied. */
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
