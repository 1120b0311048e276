import { grouped, printable } from '../core/text.ts';
import { isTrouble, Trouble } from '../core/trouble.ts';
import { readAll } from '../store/read-all.ts';
import type { Store, Stored, Write } from '../store/store.ts';
import { carryOutAtOnce } from './at-once.ts';
import type { Plan, Step } from './plan.ts';
import { type StepResult, ATTEMPTS, contended, decode, missing, NOTHING, pause, same } from './step.ts';

export interface CarryOutDeps {
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
export async function carryOut(plan: Plan, store: Store, deps: CarryOutDeps = {}): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const isAtOnce = store.atOnce !== undefined && !deps.readBack;
  let started = false;
  try {
    if (store.atOnce && !deps.readBack) {
      const { atOnce } = store;
      const write = async (writes: readonly Write[]): Promise<'written' | 'changed'> => {
        started = true;
        const answer = await atOnce.write(writes);
        started = answer === 'written';
        return answer;
      };
      results.push(...(await carryOutAtOnce(plan, { ...atOnce, write })));
      for (const result of results) deps.onStep?.(result);
      return results;
    }
    const { there, editsAhead } = await rehearse(plan, store);
    started = true;
    for (const step of plan.steps) {
      const result: StepResult = {
        step,
        outcome: await carryOutStep(step, store, there.has(step.path)),
      };
      results.push(result);
      deps.onStep?.(result);
      if (step.kind === 'create' && (result.outcome === 'created' || editsAhead)) await deps.readBack?.(step);
    }
    return results;
  } catch (error) {
    throw isTrouble(error) ? withState(error, plan, results, started, isAtOnce) : error;
  }
}

const VERBS = { create: 'create', replace: 'replace', edit: 'edit  ' };

function carryOutStep(step: Step, store: Store, wasThere: boolean): Promise<StepResult['outcome']> {
  if (step.kind === 'create') return create(step, store, wasThere);
  return step.kind === 'replace' ? replace(step, store) : edit(step, store);
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

/** Looks at every step without writing; returns what is there, and whether a document is going to be changed. */
async function rehearse(
  plan: Plan,
  store: Store,
): Promise<{ there: ReadonlyMap<string, Stored>; editsAhead: boolean }> {
  /** Texts as they will be after the steps before. */
  const texts = new Map<string, string>();
  let editsAhead = false;
  const there = await readAll(
    store,
    plan.steps.map(({ path }) => path),
  );
  for (const step of plan.steps) {
    const stored = there.get(step.path);
    if (step.kind === 'create') {
      if (stored) same(step, stored.bytes);
      continue;
    }
    if (step.kind === 'replace') continue;
    const text = texts.get(step.path) ?? decode(stored?.bytes ?? createdBefore(step, plan), step.path);
    const changed = step.edit(text);
    texts.set(step.path, changed ?? text);
    editsAhead ||= changed !== null && changed !== text;
  }
  return { there, editsAhead };
}

function createdBefore(edit: Step, { steps }: Plan): Uint8Array {
  const made = steps.slice(0, steps.indexOf(edit)).find((step) => step.path === edit.path);
  if (made?.kind === 'create') return made.bytes;
  throw missing(edit.path);
}

/** @param wasThere whether it was there a moment ago: then it need not be sent to be refused */
async function create(
  step: Step & { kind: 'create' },
  store: Store,
  wasThere: boolean,
): Promise<'created' | 'already-there'> {
  const there = wasThere ? await store.read(step.path) : null;
  if (there === null && (await store.create(step.path, step.bytes)) === 'created') return 'created';
  const stored = there ?? (await store.read(step.path));
  if (stored === null) throw missing(step.path);
  same(step, stored.bytes);
  return 'already-there';
}

/** Puts a file in the place of another. Who comes last wins, as with the files that it was made from. */
async function replace(step: Step & { kind: 'replace' }, store: Store): Promise<'edited' | 'unchanged'> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await store.read(step.path);
    if (stored === null) throw missing(step.path);
    if (Buffer.from(stored.bytes).equals(step.bytes)) return 'unchanged';
    if ((await store.replace(step.path, step.bytes, stored.token)) === 'replaced') return 'edited';
    await pause(attempt);
  }
  throw contended(step.path);
}

/**
 * Edits a document until the change is in it. A store that cannot guard against lost updates is found out: the file is
 * read once more, and must hold what was written, or whatever others made of it with the change still there.
 */
async function edit(step: Step & { kind: 'edit' }, store: Store): Promise<'edited' | 'unchanged'> {
  let written: Uint8Array | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await store.read(step.path);
    if (stored === null) throw missing(step.path);
    if (written !== null && Buffer.from(written).equals(stored.bytes)) return 'edited';
    const text = decode(stored.bytes, step.path);
    const changed = step.edit(text);
    if (changed === null || changed === text) return written === null ? 'unchanged' : 'edited';
    const bytes = Buffer.from(changed, 'utf8');
    if ((await store.replace(step.path, bytes, stored.token)) === 'replaced') {
      // Of a commit nothing is lost.
      if (store.atOnce) return 'edited';
      written = bytes;
    } else await pause(attempt);
  }
  throw contended(step.path);
}

/** The same trouble, with what holds now: for the whole plan, where the store spoke of its one file. */
function withState(
  trouble: Trouble,
  { steps }: Plan,
  results: readonly StepResult[],
  started: boolean,
  atOnce: boolean,
): Trouble {
  const said = trouble.message.trimEnd();
  const untouched = said.endsWith(NOTHING);
  const what = untouched ? said.slice(0, -NOTHING.length).trimEnd() : said;
  const done = results.map(({ step }) => printable(step.path)).join(', ');
  // What may have come through is neither done nor not done.
  const unclear = !said.endsWith('is not known.') ? 0 : atOnce ? steps.length : 1;
  const left = steps
    .slice(results.length + unclear)
    .map(({ path }) => printable(path))
    .join(', ');
  const state = [];
  if (done === '' && (untouched || !started)) state.push(NOTHING);
  else {
    if (done !== '') state.push(`Done: ${done}.`);
    if (left !== '') state.push(`Not done: ${left}.`);
  }
  const again = done === '' || /\bagain\b/.test(trouble.hint) ? '' : ' Then run the same command again to finish.';
  const message = [what, ...state].join(' ');
  return new Trouble(trouble.code, message, `${trouble.hint}${again}`, { exit: trouble.exit, cause: trouble });
}
