import { expect, test } from 'vitest';
import { documentWithText } from '../../src/author/document.ts';
import { AppregError } from '../../src/core/errors/error.ts';
import { message } from '../../src/core/text/message.ts';
import { planApp, type NewApp } from '../../src/publish/add-app.ts';
import { EditStep } from '../../src/publish/edit-step.ts';
import type { Plan } from '../../src/publish/plan.ts';
import { readDocument } from '../../src/publish/registry-location.ts';
import { planAndApply } from '../../src/publish/attempts.ts';
import { refusal } from '../cli/author-support.ts';
import { BASE, JUDGEMENT, memoryStore, placeOf } from './memory.ts';

/** A plan is made again while its documents change before it is applied. */

const PATH = 'list.json';

/** A store in which a rival adds a member before each of the first writes of the document. */
function contended(rivals: number): ReturnType<typeof memoryStore> {
  const store = memoryStore({ [PATH]: '{}' });
  const { replace } = store;
  let left = rivals;
  store.replace = async (path, bytes, token) => {
    if (left > 0) {
      const now = JSON.parse(String(store.files.get(PATH))) as object;
      store.files.set(PATH, Buffer.from(JSON.stringify({ ...now, [`rival${left--}`]: 1 })));
    }
    return replace(path, bytes, token);
  };
  return store;
}

/** Plans of a file and a member of the document. `seen` gets the text of each plan. */
function planning(store: ReturnType<typeof memoryStore>, seen: string[] = []): () => Promise<{ plan: Plan }> {
  return async () => {
    const document = (await readDocument(store, PATH))!;
    seen.push(document.text);
    const step = EditStep.of(document, { what: 'a member' }, ({ text, path }) =>
      documentWithText(JSON.stringify({ ...JSON.parse(text), ours: 1 }), path),
    );
    const exists = store.files.has('file');
    const create = { kind: 'create' as const, path: 'file', bytes: Buffer.from('ours'), what: 'a file' };
    return { plan: { steps: [...(exists ? [] : [create]), ...(step === null ? [] : [step])] } };
  };
}

test.each([
  [0, 1],
  [1, 2],
  [3, 4],
  [5, 4],
])('with %i rivals, it is made %i times, and the document keeps what they wrote', async (rivals, times) => {
  const store = contended(rivals);
  const seen: string[] = [];
  const { planned, results } = await planAndApply(store, planning(store, seen));
  expect(seen).toHaveLength(times);
  const members = Object.keys(JSON.parse(String(store.files.get(PATH))) as object);
  expect(members).toHaveLength(rivals + 1);
  expect(members).toContain('ours');
  // The file is created by the first attempt, and by this run.
  expect(results.map(({ step, outcome }) => [step.path, outcome])).toEqual([
    ['file', 'created'],
    [PATH, 'edited'],
  ]);
  expect(planned.plan.steps.map(({ path }) => path)).toEqual(['file', PATH]);
});

test('an error of a later attempt names what an earlier one stored', async () => {
  const store = contended(1);
  const first = planning(store);
  let attempts = 0;
  const error = await refusal(
    planAndApply(store, async () => {
      attempts += 1;
      if (attempts === 1) return first();
      throw new AppregError('immutable', message`It is taken.`, message`Use another.`, { effect: 'none' });
    }),
  );
  expect(error).toMatchObject({ code: 'immutable', effect: 'applied', written: { stored: ['file'] } });
  expect(error.message).toBe('It is taken. Stored: file.');
});

test('a dry run makes one plan, and writes nothing', async () => {
  const store = contended(1);
  expect((await planAndApply(store, planning(store), { dryRun: true })).results).toEqual([]);
  expect([...store.files.keys()]).toEqual([PATH]);
});

const app = (key: string): NewApp => ({
  key,
  name: key,
  description: 'An app.',
  color: '#112233',
  icon: { url: `${BASE}icon.svg` },
  metadataUrl: null,
});

test('an app is judged again beside one that was added meanwhile', async () => {
  const store = memoryStore({ 'registry.json': '{ "apps": {} }' });
  const place = placeOf(store);
  const { replace } = store;
  let isFirst = true;
  store.replace = async (...all) => {
    if (isFirst) {
      isFirst = false;
      await planAndApply(store, () => planApp(place, app('Clock'), JUDGEMENT));
    }
    return replace(...all);
  };
  const { planned } = await planAndApply(store, () => planApp(place, app('clock'), JUDGEMENT));
  expect(planned.findings.map(({ rule }) => rule)).toContain('app-key-ambiguous');
  expect(planned.plan.steps.map(({ path }) => path)).toEqual(['apps/clock/versions.json', 'registry.json']);
});
