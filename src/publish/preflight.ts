import { isFileBytes } from '../store/bytes.ts';
import { inPool } from '../store/pool.ts';
import { readAll } from '../store/read-all.ts';
import type { Store } from '../store/store.ts';
import type { EditStep, Plan } from './plan.ts';
import { assertSameBytes, decodeDocument, editedText, documentMissing } from './step.ts';

/** Checks every step without writing; returns the paths of existing files, and whether a document will be changed. */
export async function preflight(
  plan: Plan,
  store: Store,
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
    const text = texts.get(step.path);
    const changed =
      text === undefined && stored !== undefined
        ? editedText(step, stored)
        : unlessSame(text ?? textBefore(step, plan), step);
    if (changed === null) continue;
    texts.set(step.path, changed);
    changesDocument = true;
  }
  return { existing, changesDocument };
}

function unlessSame(text: string, step: EditStep): string | null {
  const changed = step.edit(text);
  return changed === text ? null : changed;
}

/** The text that a missing document has when the step edits it. */
function textBefore(edit: EditStep, { steps }: Plan): string {
  const created = steps.slice(0, steps.indexOf(edit)).find((step) => step.path === edit.path);
  if (created?.kind === 'create' && !isFileBytes(created.bytes)) return decodeDocument(created.bytes, edit.path);
  if (edit.ifMissing !== undefined) return edit.ifMissing;
  throw documentMissing(edit.path);
}
