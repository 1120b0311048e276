import { grouped, printable } from '../core/text/text.ts';
import { isAppregError, AppregError } from '../core/errors.ts';
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
  /** Hears of every step that is done. */
  onStep?(result: StepResult): void;
  /**
   * Asked after each file that was created, and before the next step, so that no document lists what cannot be fetched;
   * also for one that an earlier run left there, when a document is still to be changed. What it throws ends the plan.
   */
  readBack?(step: Step & { kind: 'create' }): Promise<void>;
}

/**
 * Carries out a plan, step by step, in its order. All steps are looked at first, so that what is refused is refused
 * before anything is written. Run again after a failure, it does what is left. Where the store can write all of it in
 * one step, and nothing has to be read back in between, it is all done or nothing is.
 * @throws Trouble that says what is done and what is not: `immutable` (exit 1) where a file is there with other bytes,
 * `not-utf8`, `file-missing`, `contended`, and what the store, an edit or `readBack` throws
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

/** The reason that a store with a history keeps: that of the plan for its last step, which makes the others count. */
function reasonFor({ steps, title }: Plan, step: Step): string | undefined {
  if (title === undefined || step === steps.at(-1)) return title;
  return `${step.kind === 'create' ? 'Add' : 'Update'} ${step.what}`;
}

/** The plan in words, a line for each step: for `--dry-run`. */
export function describePlan(plan: Plan): string {
  return plan.steps
    .map((step) => {
      const size = step.kind === 'edit' ? '' : `, ${grouped(step.bytes.length)} bytes`;
      return `${VERBS[step.kind]} ${printable(step.path)}  (${printable(step.what)}${size})`;
    })
    .join('\n');
}

/** Steps that may be carried out at the same time: an edit lists what was created before it, and is a group by itself. */
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

/** Looks at every step without writing; returns the paths where a file is, and whether a document will be changed. */
async function rehearse(plan: Plan, store: Store): Promise<{ there: ReadonlySet<string>; editsAhead: boolean }> {
  /** Texts as they will be after the steps before. */
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

/** So often a store may say that a file exists which cannot be read. */
const GLIMPSES = 3;

/** @param wasThere whether it was there a moment ago: then it need not be sent to be refused */
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

/** Puts a file in the place of another. Who comes last wins, as with the files that it was made from. */
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

/** So often a store may answer that it wrote a document, and have the one from before. */
const LOST = 4;
/** So often a store may refuse a write as if others were faster, and have the same document each time. */
const STUCK = 8;

/**
 * Edits a document until the change is in it. A store that does not keep a write is found out: the file is read once
 * more, and must hold what was written, or what others made of it with the change still there.
 */
async function edit(
  step: Step & { kind: 'edit' },
  store: Store,
  why: string | undefined,
): Promise<'edited' | 'unchanged'> {
  let written: Uint8Array | null = null;
  /** The state that was written over. */
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
      // Of a commit nothing is lost.
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

/** The text after the edit; null where it can stay as it is. @param isWritten whether this run wrote the file before */
function changedText(step: Step & { kind: 'edit' }, bytes: Uint8Array, isWritten: boolean): string | null {
  try {
    const text = decode(bytes, step.path);
    const changed = step.edit(text);
    return changed === text ? null : changed;
  } catch (error) {
    // Other publishers write documents too, which an edit may refuse; what is no JSON comes from the store.
    if (!isWritten || isJson(bytes)) throw error;
    throw notKept(step.path, `has ${bytes.length} bytes that are something else`, error);
  }
}

function pathsOf(steps: readonly Step[]): string[] {
  return steps.map(({ path }) => path);
}

/** The same trouble, with what holds now: for the whole plan, where the store spoke of its one file. */
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
  // What may have come through is neither stored nor not stored. Of files that are written in parallel it may be any.
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
  const { code, exit, effect } = trouble;
  return new AppregError(code, message, `${trouble.hint}${again}`, { exit, effect, written, cause: trouble });
}
