import type { Store, Stored, Write } from '../store/store.ts';
import type { Plan, Step } from './plan.ts';
import { ATTEMPTS, contended, decode, missing, pause, same, type StepResult } from './step.ts';

/** Carries out a whole plan in one write; made anew on what is there when others were faster. Throws as `carryOut`. */
export async function carryOutAtOnce({ steps }: Plan, atOnce: NonNullable<Store['atOnce']>): Promise<StepResult[]> {
  const paths = [...new Set(steps.map(({ path }) => path))];
  if (paths.length === 0) return [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { results, writes } = outcomeOn(await atOnce.read(paths), steps);
    if (writes.length === 0 || (await atOnce.write(writes)) === 'written') return results;
    await pause(attempt);
  }
  throw contended(paths.at(-1)!);
}

/** What the steps, one after the other, make of the files. */
function outcomeOn(
  there: ReadonlyMap<string, Stored>,
  steps: readonly Step[],
): { results: StepResult[]; writes: Write[] } {
  const writes = new Map<string, Write>();
  const results: StepResult[] = [];
  for (const step of steps) {
    const { path } = step;
    const now = writes.get(path)?.bytes ?? there.get(path)?.bytes ?? null;
    const bytes = bytesAfter(step, now);
    if (bytes !== null) writes.set(path, { path, bytes, token: there.get(path)?.token ?? null });
    const done = step.kind === 'create' ? 'created' : 'edited';
    const idle = step.kind === 'create' ? 'already-there' : 'unchanged';
    results.push({ step, outcome: bytes === null ? idle : done });
  }
  return { results, writes: [...writes.values()] };
}

/** Null: the file can stay as it is. @param now null where none is */
function bytesAfter(step: Step, now: Uint8Array | null): Uint8Array | null {
  if (step.kind === 'create') {
    if (now !== null) same(step, now);
    return now === null ? step.bytes : null;
  }
  if (now === null) throw missing(step.path);
  if (step.kind === 'replace') return Buffer.from(now).equals(step.bytes) ? null : step.bytes;
  const text = decode(now, step.path);
  const changed = step.edit(text);
  return changed === null || changed === text ? null : Buffer.from(changed, 'utf8');
}
