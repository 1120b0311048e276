import { expect, test } from 'vitest';
import { documentWithText } from '../../src/author/document.ts';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import type { Plan } from '../../src/publish/plan.ts';
import { editStep, readDocument } from '../../src/publish/registry-location.ts';
import { memoryStore } from './memory.ts';

/** An edit is computed when it is planned, and again only if the document has changed since then. */

const PATH = 'a/versions.json';

/** A plan that adds a member `new`, and the texts for which the edit was computed again. */
async function planOn(store: ReturnType<typeof memoryStore>): Promise<{ plan: Plan; recomputed: string[] }> {
  const document = await readDocument(store, PATH);
  if (document === null) throw new Error('the document is missing');
  const recomputed: string[] = [];
  const edit = (text: string): string => {
    recomputed.push(text);
    return JSON.stringify({ ...JSON.parse(text), new: 2 });
  };
  return { plan: { steps: [editStep(document, '{"old":1,"new":2}', edit, 'a member')] }, recomputed };
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

test('an edit of a document that is not stored yet has no planned text', () => {
  expect(editStep(documentWithText('{}', PATH), '{"new":2}', () => null, 'a member')).not.toHaveProperty('planned');
});
