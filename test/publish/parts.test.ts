import { describe, expect, test } from 'vitest';
import type { AppToAssemble } from '../../src/publish/described-app.ts';
import { planVersion, publishVersion, readApp } from '../../src/publish/publish-version.ts';
import type { VersionPlan } from '../../src/publish/version-plan.ts';
import type { PublishOptions, VersionToPublish } from '../../src/publish/publish-version.ts';
import { ROLES } from '../../src/publish/role.ts';
import type { Store } from '../../src/store/store.ts';
import { refusal } from '../cli/author-support.ts';
import { PROVENANCE } from '../release/apps-fixture.ts';
import { artifact, BASE, JUDGEMENT, memoryStore, placeOf, tarGz } from './memory.ts';
import { full, outcomes } from './plan-fixture.ts';

/** A plan of all parts: their order, what is judged, and the lock file of a workspace whose registry is elsewhere. */

const LOCK = 'appreg.lock.json';
const EMPTY_LOCK = '{ "lock": 1, "apps": {} }\n';
const SHA = '0'.repeat(64);

function described(key: string): AppToAssemble {
  const icon = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>');
  const entry = {
    name: 'A',
    description: 'An app.',
    blockStyle: { iconUrl: `${BASE}apps/${key}/icon.svg`, color: '#336699' },
    appMetadataUrl: `${BASE}apps/${key}/versions.json`,
  };
  const missing = { missing: { code: 'offline' }, runWide: true } as const;
  return {
    key,
    source: `src/${key}`,
    text: '',
    entry,
    given: { name: 'A', description: 'An app.', iconUrl: entry.blockStyle.iconUrl, color: '#336699' },
    icon: 'icon.svg',
    image: { bytes: icon, content: missing, image: missing } as never,
  };
}

async function wantedVersion(code = 'one'): Promise<VersionToPublish> {
  const made = await artifact(tarGz(code));
  if (made.bytes === null) throw new Error('it has bytes');
  const bill = {
    kind: 'sbom',
    what: 'the bill of materials',
    bytes: Buffer.from('{}'),
    difference: () => null,
  } as const;
  return {
    key: 'a',
    version: '1.0.0',
    artifact: { ...made, companions: () => [bill] },
    listing: described('a'),
    notes: () => 'First.',
    provenance: PROVENANCE,
  };
}

function registry(files: Record<string, string> = {}): ReturnType<typeof memoryStore> {
  return memoryStore({ 'registry.json': '{ "apps": {} }\n', ...files });
}

async function planned(store: Store, wanted: VersionToPublish, options: PublishOptions = {}): Promise<VersionPlan> {
  const place = placeOf(store);
  const app = await readApp(place, wanted, { recordsInStore: true, workspace: options.workspace ?? null });
  return planVersion(place, app, wanted, JUDGEMENT);
}

describe('the parts of a version', () => {
  test('are written in the order of their roles, and name every file of the store', async () => {
    const plan = await planned(registry(), await wantedVersion(), { workspace: memoryStore({ [LOCK]: EMPTY_LOCK }) });
    expect(plan.plan.steps.map(({ role, path }) => [role, path])).toEqual([
      ['artifact', 'apps/a/versions/1.0.0.tar.gz'],
      ['companion', 'apps/a/versions/1.0.0.tar.gz.cdx.json'],
      ['icon', 'apps/a/icon.svg'],
      ['notes', 'apps/a/versions.about.json'],
      ['metadata', 'apps/a/versions.json'],
      ['manifest', 'registry.json'],
      ['lock', LOCK],
      ['workspace-lock', LOCK],
    ]);
    // A publication does not change the description.
    expect(plan.plan.steps.map(({ role }) => role)).toEqual(ROLES.filter((role) => role !== 'description'));
    expect(plan.files.toSorted()).toEqual([...new Set(plan.plan.steps.map(({ path }) => path))].toSorted());
  });

  test('name their files also if nothing is left to do', async () => {
    const store = registry();
    const wanted = await wantedVersion();
    await publishVersion(placeOf(store), wanted, JUDGEMENT, { recordsInStore: true });
    const again = await planned(store, wanted);
    expect(again.plan.steps).toEqual([]);
    expect(again.files).toEqual(expect.arrayContaining(['apps/a/versions.json', 'apps/a/versions.about.json', LOCK]));
  });

  test('the lock file alone is written with a subject of its own', async () => {
    const store = registry();
    const wanted = await wantedVersion();
    await publishVersion(placeOf(store), wanted, JUDGEMENT);
    const { plan } = await planned(store, wanted);
    expect(plan).toMatchObject({ title: 'Record a 1.0.0', steps: [{ role: 'lock' }] });
  });

  test('what was wrong before an app is listed does not prevent it', async () => {
    const old = { version: '0.9', artifactUrl: `${BASE}apps/a/old.tar.gz`, artifactChecksum: `sha256:${SHA}` };
    const wanted = await wantedVersion();
    const store = registry({ 'apps/a/versions.json': `${JSON.stringify({ versions: [old] })}\n` });
    expect((await planned(store, wanted)).plan.title).toBe('Publish a 1.0.0');
  });

  test('what is wrong with the entry of another app does not prevent that a new one is listed', async () => {
    const apps = { other: { appMetadataUrl: `${BASE}apps/other/versions.json` } };
    const store = registry({ 'registry.json': JSON.stringify({ apps }) });
    expect((await planned(store, await wantedVersion())).plan.title).toBe('Publish a 1.0.0');
  });

  test('what is wrong with the entry of a new app is an error of the plan', async () => {
    const wanted = await wantedVersion();
    const app = described('a');
    const blockStyle = { ...app.entry.blockStyle, color: 'red' };
    const listing = { ...app, entry: { ...app.entry, blockStyle } };
    expect(await refusal(planned(registry(), { ...wanted, listing }))).toMatchObject({ code: 'rule-violation' });
  });
});

function lockOf(store: ReturnType<typeof memoryStore>): unknown {
  return (JSON.parse(store.files.get(LOCK)?.toString() ?? '{}') as { apps?: object }).apps;
}

describe('the lock file of a workspace whose registry is elsewhere', () => {
  test('is written last, once; a dry run shows it', async () => {
    const store = registry();
    const workspace = memoryStore({ [LOCK]: EMPTY_LOCK });
    const wanted = await wantedVersion();
    const dry = await publishVersion(placeOf(store), wanted, JUDGEMENT, { workspace, dryRun: true });
    expect(dry.planned.plan.steps.at(-1)).toMatchObject({
      path: LOCK,
      what: 'the lock file of the workspace, with a 1.0.0',
    });
    expect(lockOf(workspace)).toEqual({});
    const done = await publishVersion(placeOf(store), wanted, JUDGEMENT, { workspace });
    expect(outcomes(done.results).at(-1)).toBe(`${LOCK}: edited`);
    expect(Object.keys(lockOf(workspace) as object)).toEqual(['a']);
    expect(store.files.has(LOCK)).toBe(false);
    expect((await publishVersion(placeOf(store), wanted, JUDGEMENT, { workspace })).results).toEqual([]);
  });

  test('if it cannot be written, the error says what is published', async () => {
    const store = registry();
    const workspace = { ...memoryStore({ [LOCK]: EMPTY_LOCK }), replace: full };
    const error = await refusal(publishVersion(placeOf(store), await wantedVersion(), JUDGEMENT, { workspace }));
    expect(error.summary).toBe(
      `a 1.0.0 is published. ${LOCK} does not have it yet: Cannot write it: the disk is full.`,
    );
    expect(error.written).toMatchObject({ notStored: [LOCK], unknown: [] });
    expect(error.written?.stored).toContain('registry.json');
    expect(store.files.get('apps/a/versions.json')?.toString()).toContain('1.0.0');
  });

  test('if it is known that it cannot be written, nothing is published', async () => {
    const store = registry();
    const workspace: Store = { ...memoryStore({ [LOCK]: EMPTY_LOCK }), requireWritable: full };
    const options = { workspace };
    const wanted = await wantedVersion();
    expect(await refusal(publishVersion(placeOf(store), wanted, JUDGEMENT, options))).toMatchObject({
      code: 'disk-full',
    });
    expect(
      await refusal(publishVersion(placeOf(store), wanted, JUDGEMENT, { ...options, dryRun: true })),
    ).toMatchObject({
      code: 'disk-full',
    });
    expect([...store.files.keys()]).toEqual(['registry.json']);
  });
});
