import { type Bytes, type Digest, digestOfBytes, isFileBytes } from '../store/bytes.ts';
import type { BatchStore, Write } from '../store/store.ts';
import type { Plan, Step } from './plan.ts';
import {
  assertSameBytes,
  MAX_CONFLICTS,
  documentContended,
  documentMissing,
  pauseAfterConflict,
  refuseOutdated,
  type StepResult,
} from './apply-step.ts';

/** The state of a file: its content, or for a large file its digest. */
interface FileState {
  bytes: Bytes | null;
  digest(): Digest;
  token: string;
}

/**
 * Applies a whole plan in one write, recomputed on the current state after a conflict. Throws as `applyPlan`.
 * @param write writes all files, as `BatchStore.batch` does
 * @param refusesOutdated as `ApplyOptions.refusesOutdated`
 */
export async function applyBatch(
  { steps }: Plan,
  { batch, digest }: BatchStore,
  write: (writes: readonly Write[]) => Promise<'written' | 'changed'>,
  refusesOutdated = false,
): Promise<StepResult[]> {
  const paths = [...new Set(steps.map(({ path }) => path))];
  const last = paths.at(-1);
  if (last === undefined) return [];
  const large = new Set(steps.flatMap((step) => (isLarge(step) ? [step.path] : [])));
  const small = paths.filter((path) => !large.has(path));
  for (let attempt = 0; attempt < MAX_CONFLICTS; attempt++) {
    const files = new Map<string, FileState>();
    const stored = await batch.read(small);
    for (const [path, file] of stored) files.set(path, { ...file, digest: () => digestOfBytes(file.bytes) });
    for (const path of large) {
      const found = await digest(path);
      if (found !== null) files.set(path, { bytes: null, digest: () => found, token: '' });
    }
    if (refusesOutdated)
      for (const step of steps) if (step.kind === 'edit') refuseOutdated(step, stored.get(step.path));
    const { results, writes } = outcomeOn(files, steps);
    if (writes.length === 0 || (await write(writes)) === 'written') return results;
    await pauseAfterConflict(attempt);
  }
  throw documentContended(last);
}

function isLarge(step: Step): boolean {
  return step.kind === 'create' && isFileBytes(step.bytes);
}

/** The result of applying the steps in order to the files. */
function outcomeOn(
  files: ReadonlyMap<string, FileState>,
  steps: readonly Step[],
): { results: StepResult[]; writes: Write[] } {
  const writes = new Map<string, Write>();
  const results: StepResult[] = [];
  for (const step of steps) {
    const { path } = step;
    const token = files.get(path)?.token ?? null;
    const written = writes.get(path)?.bytes;
    // A file that an earlier step wrote has no token, so the edit is computed from its new text.
    const current = written ? { bytes: written, digest: () => digestOfBytes(written), token: '' } : files.get(path);
    const bytes = bytesAfter(step, current ?? null);
    if (bytes !== null) writes.set(path, { path, bytes, token });
    results.push({ step, outcome: outcomeOf(step, bytes !== null, current === undefined) });
  }
  return { results, writes: [...writes.values()] };
}

function outcomeOf({ kind }: Step, isWritten: boolean, isMissing: boolean): StepResult['outcome'] {
  if (!isWritten) return kind === 'create' ? 'already-there' : 'unchanged';
  return isMissing ? 'created' : 'edited';
}

/** Null: the file needs no change. @param current null if the file is missing */
function bytesAfter(step: Step, current: FileState | null): Bytes | null {
  if (step.kind === 'create') {
    if (current !== null) assertSameBytes(step, current.digest());
    return current === null ? step.bytes : null;
  }
  if (current === null && step.kind === 'edit' && step.isNew) return Buffer.from(step.to.text, 'utf8');
  // Large files are only created, never edited.
  if (current === null || !(current.bytes instanceof Uint8Array)) throw documentMissing(step.path);
  const { bytes, token } = current;
  if (step.kind === 'replace') return Buffer.from(bytes).equals(step.bytes) ? null : step.bytes;
  const text = step.textFor({ bytes, token });
  return text === null ? null : Buffer.from(text, 'utf8');
}
