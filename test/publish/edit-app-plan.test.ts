import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AppregError } from '../../src/core/errors/error.ts';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import { planAndApply } from '../../src/publish/attempts.ts';
import { planEdit } from '../../src/publish/edit-app.ts';
import { listedEntry } from '../../src/publish/listed-app.ts';
import type { Plan } from '../../src/publish/plan.ts';
import { planRemoval } from '../../src/publish/remove-app.ts';
import { describingFolder } from '../../src/release/app-folders.ts';
import { iconFromBytes } from '../../src/release/inspect-icon.ts';
import { folder } from '../support/folders.ts';
import { BASE, JUDGEMENT, memoryStore, placeOf } from './memory.ts';

/** Edits of a manifest that another process changes between planning and writing. */

const entry = (name: string, color = '#112233'): string =>
  `{"name":"${name}","description":"An app.","blockStyle":{"iconUrl":"${BASE}i.svg","color":"${color}"},"appMetadataUrl":"${BASE}v.json"}`;
const manifest = (...apps: readonly string[]): string => `{"apps":{${apps.join(',')}}}`;
const A = `"a":${entry('A')}`;
const B = `"b":${entry('B')}`;

type Store = ReturnType<typeof memoryStore>;

async function editPlan(store: Store): Promise<Plan> {
  const place = placeOf(store);
  return (await planEdit(place, await listedEntry(place, 'a'), { name: 'New' }, JUDGEMENT)).plan;
}

async function removalPlan(store: Store): Promise<Plan> {
  const place = placeOf(store);
  return (await planRemoval(place, await listedEntry(place, 'a'), JUDGEMENT)).plan;
}

/** The manifest after the plan is applied to a store whose manifest became `changed` in the meantime. */
async function applied(planOf: (store: Store) => Promise<Plan>, changed: string): Promise<string> {
  const store = memoryStore({ 'registry.json': manifest(A) });
  const plan = await planOf(store);
  store.files.set('registry.json', Buffer.from(changed));
  await applyPlan(plan, store);
  return String(store.files.get('registry.json'));
}

const refusal = (promise: Promise<unknown>): Promise<AppregError> =>
  promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: AppregError) => error,
  );

describe('a concurrent change', () => {
  test('of another app is preserved', async () => {
    expect(await applied(editPlan, manifest(A, B))).toBe(manifest(`"a":${entry('New')}`, B));
    expect(await applied(removalPlan, manifest(A, B))).toBe(manifest(B));
  });

  test('of another field is preserved by an edit, and refused by a removal', async () => {
    const other = manifest(`"a":${entry('A', '#ffffff')}`);
    expect(await applied(editPlan, other)).toBe(manifest(`"a":${entry('New', '#ffffff')}`));
    expect(await refusal(applied(removalPlan, other))).toMatchObject({ code: 'app-changed', exit: 1 });
  });

  test('of the same field is refused, unless it is identical', async () => {
    const other = manifest(`"a":${entry('Other')}`);
    const error = await refusal(applied(editPlan, other));
    expect(error).toMatchObject({ code: 'app-changed', exit: 1, effect: 'none' });
    expect(error.message).toContain('it is now “Other”');
    const same = manifest(`"a":${entry('New')}`);
    expect(await applied(editPlan, same)).toBe(same);
  });

  test('that removes the app is refused by an edit, and accepted by a removal', async () => {
    expect(await refusal(applied(editPlan, manifest(B)))).toMatchObject({ code: 'app-unknown' });
    expect(await applied(removalPlan, manifest(B))).toBe(manifest(B));
  });
});

test('plans have a title for their commit', async () => {
  const store = memoryStore({ 'registry.json': manifest(A, B) });
  expect((await editPlan(store)).title).toBe('Edit app a');
  expect((await removalPlan(store)).title).toBe('Remove app a');
});

test('app.json and the icon beside it are written to the workspace, if the registry is in a store elsewhere', async () => {
  const root = folder();
  mkdirSync(join(root, 'apps/a'), { recursive: true });
  writeFileSync(join(root, 'apps/a/app.json'), '{"name":"A","description":"An app.","color":"#112233"}');
  writeFileSync(join(root, 'apps/a/logo.svg'), '<svg/>');
  const listed = manifest(A.replace('i.svg', 'apps/a/logo.svg'));
  const store = memoryStore({ 'registry.json': listed, 'apps/a/logo.svg': '<svg/>' });
  const place = placeOf(store);
  const describing = await describingFolder(root, [], 'a');
  const icon = iconFromBytes(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'i.svg');
  const edits = { name: 'New', icon, describing };
  const planNow = async () => planEdit(place, await listedEntry(place, 'a'), edits, JUDGEMENT);
  const { notRecorded } = await planAndApply(store, planNow, { workspace: describing!.workspace });
  expect(notRecorded).toBe(null);
  expect(String(store.files.get('registry.json'))).toBe(listed.replace('"A"', '"New"'));
  expect(readFileSync(join(root, 'apps/a/app.json'), 'utf8')).toContain('"name":"New"');
  for (const bytes of [store.files.get('apps/a/logo.svg')!, readFileSync(join(root, 'apps/a/logo.svg'))])
    expect(Buffer.from(icon.bytes).equals(bytes)).toBe(true);
  expect([...store.files.keys()].toSorted()).toEqual(['apps/a/logo.svg', 'registry.json']);
});
