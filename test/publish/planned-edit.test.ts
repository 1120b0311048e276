import { expect, test } from 'vitest';
import { documentWithText } from '../../src/author/document.ts';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import { EditStep } from '../../src/publish/edit-step.ts';
import type { Plan } from '../../src/publish/plan.ts';
import { readDocument } from '../../src/publish/registry-location.ts';
import { StoredDocument } from '../../src/publish/stored-document.ts';
import { memoryStore } from './memory.ts';

/** An edit is computed when it is planned, and again only if the document has changed since then. */

const PATH = 'a/versions.json';

/** A plan that adds a member `new`, and the texts for which the edit was computed again. */
async function planOn(store: ReturnType<typeof memoryStore>): Promise<{ plan: Plan; recomputed: string[] }> {
  const document = await readDocument(store, PATH);
  if (document === null) throw new Error('the document is missing');
  const recomputed: string[] = [];
  const step = EditStep.of(document, { what: 'a member' }, ({ text, path }) => {
    recomputed.push(text);
    return documentWithText(JSON.stringify({ ...JSON.parse(text), new: 2 }), path);
  });
  recomputed.length = 0;
  return { plan: { steps: step === null ? [] : [step] }, recomputed };
}

test('an unchanged document is written with the planned text, and nothing is computed again', async () => {
  const store = memoryStore({ [PATH]: '{"old":1}' });
  const { plan, recomputed } = await planOn(store);
  await applyPlan(plan, store);
  expect(String(store.files.get(PATH))).toBe('{"old":1,"new":2}');
  expect(recomputed).toEqual([]);
});

test('an edit is computed again for a document that changed after it was planned', async () => {
  const store = memoryStore({ [PATH]: '{"old":1}' });
  const { plan, recomputed } = await planOn(store);
  store.files.set(PATH, Buffer.from('{"other":3}'));
  await applyPlan(plan, store);
  expect(String(store.files.get(PATH))).toBe('{"other":3,"new":2}');
  expect(new Set(recomputed)).toEqual(new Set(['{"other":3}']));
});

test('an edit is computed again after a conflict', async () => {
  const store = memoryStore({ [PATH]: '{"old":1}' });
  const { plan, recomputed } = await planOn(store);
  const { replace } = store;
  let isFirst = true;
  await applyPlan(plan, {
    ...store,
    async replace(path, bytes, token) {
      if (isFirst) store.files.set(PATH, Buffer.from('{"other":3}'));
      isFirst = false;
      return replace(path, bytes, token);
    },
  });
  expect(String(store.files.get(PATH))).toBe('{"other":3,"new":2}');
  expect(recomputed).toEqual(['{"other":3}']);
});

test('an edit of a missing document creates it, and is computed again if another writer was faster', async () => {
  const store = memoryStore({});
  const from = StoredDocument.missing(PATH, '{}');
  const step = EditStep.of(from, { what: 'a member' }, ({ value, path }) =>
    documentWithText(JSON.stringify({ ...(value as object), new: 2 }), path),
  );
  expect(step).toMatchObject({ isNew: true, to: { text: '{"new":2}' } });
  store.files.set(PATH, Buffer.from('{"other":3}'));
  await applyPlan({ steps: [step!] }, store);
  expect(String(store.files.get(PATH))).toBe('{"other":3,"new":2}');
});

test('an edit starts only from a document that a store returned, with the token of that read', async () => {
  const stored = (await readDocument(memoryStore({ [PATH]: '{"a":1}' }), PATH))!;
  const edited = documentWithText('{"a":2}', PATH);
  expect(edited).not.toHaveProperty('token');
  // @ts-expect-error: the result of an edit has no token
  void (() => EditStep.of(edited, { what: 'x' }, () => null));
  // @ts-expect-error: a token is not added to another text
  void (() => EditStep.of({ ...edited, token: stored.token }, { what: 'x' }, () => null));
  // @ts-expect-error: and a text not to another token
  void (() => EditStep.of({ ...stored, text: edited.text }, { what: 'x' }, () => null));
  // @ts-expect-error: no step is made with another text
  void (() => new EditStep(stored, edited, { what: 'x' }, () => null));
  expect(EditStep.of(stored, { what: 'x' }, (now) => now)).toBeNull();
});
