import { type Bytes, type Digest, digestOf, isFileBytes } from '../store/bytes.ts';
import type { Store, Write } from '../store/store.ts';
import type { Plan, Step } from './plan.ts';
import { ATTEMPTS, contended, decode, missing, pause, assertSameBytes, type StepResult } from './step.ts';

/** The state of a file: its content, or for a large file its digest. */
interface There {
  bytes: Bytes | null;
  digest(): Digest;
  token: string;
}

/**
 * Applies a whole plan in one write, recomputed on the current state after a conflict. Throws as `applyPlan`.
 */
export async function applyBatch(
  { steps }: Plan,
  { digest }: Pick<Store, 'digest'>,
  atOnce: NonNullable<Store['batch']>,
): Promise<StepResult[]> {
  const paths = [...new Set(steps.map(({ path }) => path))];
  if (paths.length === 0) return [];
  const large = new Set(steps.flatMap((step) => (isLarge(step) ? [step.path] : [])));
  const small = paths.filter((path) => !large.has(path));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const there = new Map<string, There>();
    for (const [path, stored] of await atOnce.read(small))
      there.set(path, { ...stored, digest: () => digestOf(stored.bytes) });
    for (const path of large) {
      const found = await digest(path);
      if (found !== null) there.set(path, { bytes: null, digest: () => found, token: '' });
    }
    const { results, writes } = outcomeOn(there, steps);
    if (writes.length === 0 || (await atOnce.write(writes)) === 'written') return results;
    await pause(attempt);
  }
  throw contended(paths.at(-1)!);
}

function isLarge(step: Step): boolean {
  return step.kind === 'create' && isFileBytes(step.bytes);
}

/** The result of applying the steps in order to the files. */
function outcomeOn(
  there: ReadonlyMap<string, There>,
  steps: readonly Step[],
): { results: StepResult[]; writes: Write[] } {
  const writes = new Map<string, Write>();
  const results: StepResult[] = [];
  for (const step of steps) {
    const { path } = step;
    const written = writes.get(path)?.bytes;
    const now = written ? { bytes: written, digest: () => digestOf(written) } : (there.get(path) ?? null);
    const bytes = bytesAfter(step, now);
    if (bytes !== null) writes.set(path, { path, bytes, token: there.get(path)?.token ?? null });
    const done = step.kind === 'create' ? 'created' : 'edited';
    const idle = step.kind === 'create' ? 'already-there' : 'unchanged';
    results.push({ step, outcome: bytes === null ? idle : done });
  }
  return { results, writes: [...writes.values()] };
}

/** Null: the file needs no change. @param now null if the file is missing */
function bytesAfter(step: Step, now: Pick<There, 'bytes' | 'digest'> | null): Bytes | null {
  if (step.kind === 'create') {
    if (now !== null) assertSameBytes(step, now.digest());
    return now === null ? step.bytes : null;
  }
  // Large files are only created, never edited.
  if (now === null || !(now.bytes instanceof Uint8Array)) throw missing(step.path);
  if (step.kind === 'replace') return Buffer.from(now.bytes).equals(step.bytes) ? null : step.bytes;
  const text = decode(now.bytes, step.path);
  const changed = step.edit(text);
  return changed === null || changed === text ? null : Buffer.from(changed, 'utf8');
}
