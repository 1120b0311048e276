import { grouped, printable } from '../core/text/text.ts';
import { type AppregError, isAppregError } from '../core/errors.ts';
import { stopIfInterrupted } from '../store/interrupt.ts';
import { inPool } from '../store/pool.ts';
import { readAll } from '../store/read-all.ts';
import { isFileBytes } from '../store/bytes.ts';
import type { Store, Write } from '../store/store.ts';
import { inWords as writtenInWords } from '../store/write-state.ts';
import { applyBatch } from './apply-batch.ts';
import type { Plan, Step } from './plan.ts';
import { notKept, refusesTheSame, unreadableYetThere } from './store-faults.ts';
import { type StepResult, ATTEMPTS, contended, decode, missing, NOTHING, pause, assertSameBytes } from './step.ts';

export interface ApplyOptions {
  /** Called after every completed step. */
  onStep?(result: StepResult): void;
  /**
   * Called after each created file, before the next step, so that no document lists a file that cannot be fetched; also
   * for a file created by an earlier run if a document still has to be changed. An error ends the plan.
   */
  readBack?(step: Step & { kind: 'create' }): Promise<void>;
}

/**
 * Applies the steps of a plan in order. All steps are checked first, so that refusals happen before anything is
 * written. Running it again after a failure applies the remaining steps. If the store supports atomic batches, and
 * nothing has to be read back in between, the plan is applied completely or not at all.
 * @throws AppregError that reports which steps were applied: `immutable` (exit 1) if a file exists with other bytes,
 * `not-utf8`, `document-missing`, `write-conflict`, and the errors of the store, of edits and of `readBack`
 */
export async function applyPlan(plan: Plan, store: Store, deps: ApplyOptions = {}): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const isAtOnce = store.batch !== undefined && !deps.readBack;
  let started = false;
  try {
    if (store.batch && !deps.readBack) {
      const { batch: atOnce } = store;
      const write = async (writes: readonly Write[]): Promise<'written' | 'changed'> => {
        started = true;
        stopIfInterrupted();
        const answer = await atOnce.write(writes, plan.title);
        started = answer === 'written';
        return answer;
      };
      results.push(...(await applyBatch(plan, store, { ...atOnce, write })));
      for (const result of results) deps.onStep?.(result);
      return results;
    }
    await store.tidy?.(plan.steps.map(({ path }) => path));
    const { there, editsAhead } = await rehearse(plan, store);
    started = true;
    const done = (step: Step, outcome: StepResult['outcome']): void => {
      const result = { step, outcome };
      results.push(result);
      deps.onStep?.(result);
    };
    const { concurrency = 1 } = store;
    for (const steps of inGroups(plan.steps, deps.readBack !== undefined)) {
      await inPool(steps, concurrency, async (step) => {
        stopIfInterrupted();
        done(step, await carryOutStep(step, store, there.has(step.path), reasonFor(plan, step)));
      });
      const [step] = steps;
      if (step?.kind !== 'create' || !deps.readBack) continue;
      if (results.at(-1)?.outcome === 'created' || editsAhead) await deps.readBack(step);
    }
    return plan.steps.flatMap((step) => results.filter((result) => result.step === step));
  } catch (error) {
    throw isAppregError(error) ? withState(error, plan, results, started, isAtOnce) : error;
  }
}

const VERBS = { create: 'create', replace: 'replace', edit: 'edit  ' };

function carryOutStep(
  step: Step,
  store: Store,
  wasThere: boolean,
  why: string | undefined,
): Promise<StepResult['outcome']> {
  if (step.kind === 'create') return create(step, store, wasThere, why);
  return step.kind === 'replace' ? replace(step, store, why) : edit(step, store, why);
}

/**
 * The commit message for stores with a history: the plan's title for its last step, which makes the others effective.
 */
function reasonFor({ steps, title }: Plan, step: Step): string | undefined {
  if (title === undefined || step === steps.at(-1)) return title;
  return `${step.kind === 'create' ? 'Add' : 'Update'} ${step.what}`;
}

/** Describes the plan for `--dry-run`, one line per step. */
export function describePlan(plan: Plan): string {
  return plan.steps
    .map((step) => {
      const size = step.kind === 'edit' ? '' : `, ${grouped(step.bytes.length)} bytes`;
      return `${VERBS[step.kind]} ${printable(step.path)}  (${printable(step.what)}${size})`;
    })
    .join('\n');
}

/** Groups steps that may run concurrently: an edit lists files created before it, so it is a group of its own. */
function inGroups(steps: readonly Step[], isEachAlone: boolean): Step[][] {
  const groups: Step[][] = [];
  const paths = new Set<string>();
  for (const step of steps) {
    const last = groups.at(-1);
    const isAlone = isEachAlone || step.kind === 'edit' || paths.has(step.path);
    if (last === undefined || isAlone || last[0]?.kind === 'edit') {
      groups.push([step]);
      paths.clear();
    } else last.push(step);
    paths.add(step.path);
  }
  return groups;
}

/** Checks every step without writing; returns the paths of existing files, and whether a document will be changed. */
async function rehearse(plan: Plan, store: Store): Promise<{ there: ReadonlySet<string>; editsAhead: boolean }> {
  /** Texts after the preceding steps. */
  const texts = new Map<string, string>();
  let editsAhead = false;
  const creates = plan.steps.filter((step) => step.kind === 'create');
  const found = new Set<string>();
  await inPool(creates, store.concurrency ?? 1, async (step) => {
    const digest = await store.digest(step.path);
    if (digest === null) return;
    assertSameBytes(step, digest);
    found.add(step.path);
  });
  const documents = await readAll(
    store,
    plan.steps.filter(({ kind }) => kind !== 'create').map(({ path }) => path),
  );
  for (const path of documents.keys()) found.add(path);
  for (const step of plan.steps) {
    if (step.kind !== 'edit') continue;
    const stored = documents.get(step.path);
    const text = texts.get(step.path) ?? decode(stored?.bytes ?? createdBefore(step, plan), step.path);
    const changed = step.edit(text);
    texts.set(step.path, changed ?? text);
    editsAhead ||= changed !== null && changed !== text;
  }
  return { there: found, editsAhead };
}

function createdBefore(edit: Step, { steps }: Plan): Uint8Array {
  const made = steps.slice(0, steps.indexOf(edit)).find((step) => step.path === edit.path);
  if (made?.kind === 'create' && !isFileBytes(made.bytes)) return made.bytes;
  throw missing(edit.path);
}

/** How often a store may report that a file exists although it cannot be read. */
const GLIMPSES = 3;

/** @param wasThere whether the file existed in the check: then it is compared before it is sent */
async function create(
  step: Step & { kind: 'create' },
  store: Store,
  wasThere: boolean,
  why: string | undefined,
): Promise<'created' | 'already-there'> {
  let stored = wasThere ? await store.digest(step.path) : null;
  for (let attempt = 0; stored === null && attempt < GLIMPSES; attempt++) {
    if ((await store.create(step.path, step.bytes, { why })) === 'created') return 'created';
    stored = await store.digest(step.path);
    if (stored === null) await pause(attempt);
  }
  if (stored === null) throw unreadableYetThere(step.path);
  assertSameBytes(step, stored);
  return 'already-there';
}

/** Replaces a file. The last writer wins, as with the source files. */
async function replace(
  step: Step & { kind: 'replace' },
  store: Store,
  why: string | undefined,
): Promise<'edited' | 'unchanged'> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await store.read(step.path);
    if (stored === null) throw missing(step.path);
    if (Buffer.from(stored.bytes).equals(step.bytes)) return 'unchanged';
    if ((await store.replace(step.path, step.bytes, stored.token, { why })) === 'replaced') return 'edited';
    await pause(attempt);
  }
  throw contended(step.path);
}

/** How often a store may report a successful write and still return the previous document. */
const LOST = 4;
/** How often a store may report a conflict although the document did not change. */
const STUCK = 8;

/**
 * Edits a document, retrying until the change is in it. Lost writes are detected: the file is read again, and must
 * contain what was written, or a later edit that preserves the change.
 */
async function edit(
  step: Step & { kind: 'edit' },
  store: Store,
  why: string | undefined,
): Promise<'edited' | 'unchanged'> {
  let written: Uint8Array | null = null;
  /** The token of the overwritten state. */
  let over = '';
  let lost = 0;
  let stuck = { token: '', times: 0 };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await store.read(step.path);
    if (stored === null) throw written === null ? missing(step.path) : notKept(step.path, 'has no such file');
    if (written !== null && Buffer.from(written).equals(stored.bytes)) return 'edited';
    if (over === stored.token && ++lost === LOST)
      throw notKept(step.path, `has the document from before, ${LOST} times in a row`);
    const changed = changedText(step, stored.bytes, written !== null);
    if (changed === null) return written === null ? 'unchanged' : 'edited';
    const bytes = Buffer.from(changed, 'utf8');
    if ((await store.replace(step.path, bytes, stored.token, { why })) === 'replaced') {
      // A commit is never lost.
      if (store.batch) return 'edited';
      written = bytes;
      over = stored.token;
      continue;
    }
    stuck = { token: stored.token, times: stored.token === stuck.token ? stuck.times + 1 : 1 };
    if (stuck.times === STUCK) throw refusesTheSame(step.path);
    await pause(attempt);
  }
  throw contended(step.path);
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** The text after the edit; null if unchanged. @param isWritten whether this run has written the file before */
function changedText(step: Step & { kind: 'edit' }, bytes: Uint8Array, isWritten: boolean): string | null {
  try {
    const text = decode(bytes, step.path);
    const changed = step.edit(text);
    return changed === text ? null : changed;
  } catch (error) {
    // An edit may refuse a document written by another publisher; one that is not JSON is an error of the store.
    if (!isWritten || isJson(bytes)) throw error;
    throw notKept(step.path, `has ${bytes.length} bytes that are something else`, error);
  }
}

function pathsOf(steps: readonly Step[]): string[] {
  return steps.map(({ path }) => path);
}

/** The same error, with the state of the whole plan in place of that of a single file. */
function withState(
  trouble: AppregError,
  { steps }: Plan,
  results: readonly StepResult[],
  started: boolean,
  atOnce: boolean,
): AppregError {
  const said = trouble.message.trimEnd();
  const untouched = said.endsWith(NOTHING);
  const what = untouched ? said.slice(0, -NOTHING.length).trimEnd() : said;
  const done = steps.filter((step) => results.some((result) => result.step === step));
  const left = steps.filter((step) => !done.includes(step));
  // A write that may have succeeded is neither stored nor not stored; of files written in parallel, it may be any.
  const unclear = trouble.effect === 'none' ? 0 : atOnce ? left.length : left.findIndex(({ kind }) => kind === 'edit');
  const unknown = trouble.effect === 'none' ? [] : left.slice(0, Math.max(1, unclear));
  const written = {
    stored: pathsOf(done),
    notStored: pathsOf(left.slice(unknown.length)),
    unknown: pathsOf(unknown),
  };
  const isNothing = done.length === 0 && unknown.length === 0 && (untouched || !started);
  const state = isNothing ? NOTHING : writtenInWords(written);
  const again =
    done.length === 0 || /\bagain\b/.test(trouble.hint) ? '' : ' Then run the same command again to finish.';
  const message = state === '' ? what : `${what} ${state}`;
  return trouble.with({ message, hint: `${trouble.hint}${again}`, written });
}
