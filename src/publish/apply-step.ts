import { setTimeout as wait } from 'node:timers/promises';
import { message } from '../core/text/message.ts';
import { isBatchStore, type Store, type Stored } from '../store/store.ts';
import type { EditStep } from './edit-step.ts';
import type { CreateStep, ReplaceStep, Step } from './plan.ts';
import { AppregError } from '../core/errors/error.ts';
import { counted } from '../core/text/text.ts';
import { type Digest, digestOfBytes } from '../store/bytes.ts';
import { stopIfInterrupted, stopAbortSignal } from '../store/interrupt.ts';

/** Shared by the sequential and the batch application of steps. */

/** The outcome of a step. `already-there`: the same bytes existed. `unchanged`: the document needed no change. */
export interface StepResult {
  step: Step;
  outcome: 'created' | 'already-there' | 'edited' | 'unchanged';
}

/** True if the step wrote a document, which it creates if it is missing. */
export function isDocumentWritten({ step, outcome }: StepResult): boolean {
  return step.kind !== 'create' && outcome !== 'unchanged';
}

/** Maximum number of retries of a step after conflicts. In each conflict, another writer succeeded. */
export const MAX_CONFLICTS = 200;

export async function pauseAfterConflict(attempt: number): Promise<void> {
  const milliseconds = Math.random() * Math.min(250, 5 * 2 ** attempt);
  await wait(milliseconds, undefined, { signal: stopAbortSignal() }).catch(stopIfInterrupted);
}

/** Refuses different bytes: published files never change (spec 2.4). */
export function assertSameBytes({ path, bytes }: CreateStep, stored: Digest): void {
  const wanted = digestOfBytes(bytes);
  if (stored.sha256 === wanted.sha256) return;
  throw new AppregError(
    'immutable',
    message`${path} already exists with different bytes: its checksum is sha256:${stored.sha256} (${counted(stored.length, 'byte')}), yours is sha256:${wanted.sha256} (${counted(wanted.length, 'byte')}).`,
    message`A published file never changes: publish your bytes as a new version.`,
    { effect: 'none' },
  );
}

export function documentContended(path: string): AppregError {
  return new AppregError(
    'write-conflict',
    message`${path} was changed by other processes ${MAX_CONFLICTS} times during the edit.`,
    message`Run the same command again once fewer processes change it.`,
    { advisesRepeat: true },
  );
}

export function documentMissing(path: string): AppregError {
  return new AppregError(
    'document-missing',
    message`${path} does not exist.`,
    message`Restore it from version control, or run appreg init in a new folder.`,
  );
}

/**
 * Thrown in place of writing a document that is in another state than its plan was made on, while no document of the plan
 * is written: the plan is made again. `Attempts` catches it.
 */
export class PlanOutdated extends Error {
  readonly path: string;
  /** The files that were created before. */
  readonly created: readonly StepResult[];

  constructor(path: string, created: readonly StepResult[] = []) {
    super(`${path} has changed since it was read`);
    this.path = path;
    this.created = created;
  }
}

/** @throws PlanOutdated if a document is in another state than the step was planned on */
export function refuseOutdated({ path, from }: EditStep, stored: Stored | null | undefined): void {
  if (stored && stored.token !== from.token) throw new PlanOutdated(path);
}

/** Circumstances in which a step is applied. */
interface StepContext {
  /** True if the file existed when the plan was checked. */
  isExpected: boolean;
  /** The reason, for stores that keep a history. */
  why: string | undefined;
  /** True if an edit of a document that has changed since it was planned is given up with `PlanOutdated`. */
  refusesOutdated: boolean;
}

/** Applies one step, and repeats it after conflicts. Throws AppregError as `applyPlan` does. */
export function applyStep(step: Step, store: Store, context: StepContext): Promise<StepResult['outcome']> {
  const { isExpected, why } = context;
  if (step.kind === 'create') return create(step, store, isExpected, why);
  return step.kind === 'replace' ? replace(step, store, why) : edit(step, store, context);
}

/** Number of times that a store may report that a file exists although it cannot be read. */
const CREATE_ATTEMPTS = 3;

/** @param isExpected whether the file existed in the check: then it is compared before it is sent */
async function create(
  step: CreateStep,
  store: Store,
  isExpected: boolean,
  why: string | undefined,
): Promise<'created' | 'already-there'> {
  let stored = isExpected ? await store.digest(step.path) : null;
  for (let attempt = 0; stored === null && attempt < CREATE_ATTEMPTS; attempt++) {
    if ((await store.create(step.path, step.bytes, { why })) === 'created') return 'created';
    stored = await store.digest(step.path);
    if (stored === null) await pauseAfterConflict(attempt);
  }
  if (stored === null) throw unreadableYetThere(step.path);
  assertSameBytes(step, stored);
  return 'already-there';
}

/** Replaces a file. The last writer wins, as with the source files. */
async function replace(step: ReplaceStep, store: Store, why: string | undefined): Promise<'edited' | 'unchanged'> {
  for (let attempt = 0; attempt < MAX_CONFLICTS; attempt++) {
    const stored = await store.read(step.path);
    if (stored === null) throw documentMissing(step.path);
    if (Buffer.from(stored.bytes).equals(step.bytes)) return 'unchanged';
    if ((await store.replace(step.path, step.bytes, stored.token, { why })) === 'replaced') return 'edited';
    await pauseAfterConflict(attempt);
  }
  throw documentContended(step.path);
}

/** Number of times that a store may report a successful write and still return the previous document. */
const MAX_LOST = 4;
/** Number of times that a store may report a conflict although the document did not change. */
const MAX_STUCK = 8;

/**
 * Edits a document, retrying until the change is in it. Lost writes are detected: the file is read again, and must
 * contain what was written, or a later edit that preserves the change.
 */
async function edit(
  step: EditStep,
  store: Store,
  { why, refusesOutdated }: StepContext,
): Promise<'created' | 'edited' | 'unchanged'> {
  let written: Uint8Array | null = null;
  /** The token of the overwritten state. */
  let overwritten = '';
  let lost = 0;
  let stuck = { token: '', times: 0 };
  for (let attempt = 0; attempt < MAX_CONFLICTS; attempt++) {
    const stored = await store.read(step.path);
    if (stored === null && written === null && step.isNew) {
      const bytes = Buffer.from(step.to.text, 'utf8');
      if ((await store.create(step.path, bytes, { why })) === 'created') return 'created';
      await pauseAfterConflict(attempt);
      continue;
    }
    if (stored === null) throw written === null ? documentMissing(step.path) : notKept(step.path, 'has no such file');
    if (written !== null && Buffer.from(written).equals(stored.bytes)) return 'edited';
    if (overwritten === stored.token && ++lost === MAX_LOST)
      throw notKept(step.path, `still has the previous document, ${MAX_LOST} times in a row`);
    if (refusesOutdated && written === null) refuseOutdated(step, stored);
    const changed = changedText(step, stored, written !== null);
    if (changed === null) return written === null ? 'unchanged' : 'edited';
    const bytes = Buffer.from(changed, 'utf8');
    if ((await store.replace(step.path, bytes, stored.token, { why })) === 'replaced') {
      // A commit is never lost.
      if (isBatchStore(store)) return 'edited';
      written = bytes;
      overwritten = stored.token;
      continue;
    }
    stuck = { token: stored.token, times: stored.token === stuck.token ? stuck.times + 1 : 1 };
    if (stuck.times === MAX_STUCK) throw refusesTheSame(step.path);
    await pauseAfterConflict(attempt);
  }
  throw documentContended(step.path);
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
function changedText(step: EditStep, stored: Stored, isWritten: boolean): string | null {
  try {
    return step.textFor(stored);
  } catch (error) {
    // An edit may refuse a document written by another publisher; one that is not JSON is an error of the store.
    if (!isWritten || isJson(stored.bytes)) throw error;
    throw notKept(step.path, `now returns ${stored.bytes.length} bytes that are not JSON`, error);
  }
}

/** Errors of a store whose responses do not match its behavior. */

const HINT = message`Check whether a cache or a replica responds instead of the store, or ask its operator; then run the same command again.`;

/** @param has what the store contains instead, as the end of a sentence */
function notKept(path: string, has: string, cause?: unknown): AppregError {
  const summary = message`The store confirmed that it stored ${path}, but did not keep the write: it ${has}.`;
  return new AppregError('write-lost', summary, HINT, { cause, advisesRepeat: true });
}

function refusesTheSame(path: string): AppregError {
  return new AppregError(
    'store-stale',
    message`The store refuses to replace ${path} because it has changed, but returns the same document each time. It probably serves an old copy.`,
    HINT,
    { advisesRepeat: true },
  );
}

function unreadableYetThere(path: string): AppregError {
  const summary = message`The store reports that ${path} exists when it is created, but that it is missing when it is read.`;
  return new AppregError('store-stale', summary, HINT, { advisesRepeat: true });
}
