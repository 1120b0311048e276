import { afterEach, describe, expect, test } from 'vitest';
import { appEntry } from '../../src/author/manifest.ts';
import type { AppToAssemble } from '../../src/publish/described-app.ts';
import type { RegistryLocation } from '../../src/publish/registry-location.ts';
import { iconFromBytes } from '../../src/release/inspect-icon.ts';
import type { PublishedEntry } from '../../src/release/plan-entries.ts';
import { publishAll } from '../../src/release/publish-all.ts';
import { isBatchStore, type Store } from '../../src/store/store.ts';
import { BASE, memoryStore, placeOf } from '../publish/memory.ts';
import {
  history,
  Killed,
  killedAt,
  listed,
  lockOf,
  OPTIONS,
  outcomes,
  type Place,
  PLACE_NAMES,
  prepared,
  registryOf,
} from './apps-fixture.ts';
import type { PreparedApp } from '../../src/release/evaluate.ts';
import type { PublishedApp } from '../../src/release/outcome.ts';

/** Texts and icons of listed apps, published to every kind of store. */

const opened: Place[] = [];
afterEach(async () => {
  for (const place of opened.splice(0)) await place.close();
});

const KEYS = ['clock', 'lamp'];

const svg = (element: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><${element}/></svg>\n`);

/** An app as its folder describes it. */
function described(key: string, { color = '#112233', icon = svg('path') } = {}): AppToAssemble {
  const texts = { name: key, description: 'An app.', color, iconUrl: `${BASE}apps/${key}/icon.svg` };
  const entry = appEntry({ ...texts, appMetadataUrl: `${BASE}apps/${key}/versions.json` });
  const image = iconFromBytes(icon, 'icon.svg');
  return { key, source: `src/${key}`, text: '', entry, given: texts, icon: 'icon.svg', image };
}

interface Publishing {
  texts: readonly AppToAssemble[];
  apps?: readonly PreparedApp[];
}

async function publish(
  place: RegistryLocation,
  { texts, apps = [] }: Publishing,
): Promise<{ results: PublishedApp[]; entries: PublishedEntry[] }> {
  return publishAll({ ...place, workspace: null }, apps, { ...OPTIONS, described: texts }, { stored() {}, ended() {} });
}

/** A registry whose apps are recorded with their texts and icons. */
async function open(name: string): Promise<Place> {
  const place = await registryOf(name, KEYS);
  opened.push(place);
  const { entries } = await publish(placeOf(place.open()), { texts: KEYS.map((key) => described(key)) });
  expect(entries.map(({ error }) => error)).toEqual([null, null]);
  return place;
}

async function colors(store: Store): Promise<Record<string, string>> {
  const { apps } = JSON.parse(Buffer.from((await store.read('registry.json'))?.bytes ?? '').toString());
  return Object.fromEntries(KEYS.map((key) => [key, apps[key].blockStyle.color]));
}

async function iconOf(store: Store, key: string): Promise<string> {
  return Buffer.from((await store.read(`apps/${key}/icon.svg`))?.bytes ?? '').toString();
}

/** Changes a colour in the manifest, as another process does. */
async function paint(store: Store, key: string, color: string): Promise<void> {
  const stored = await store.read('registry.json');
  if (stored === null) throw new Error('there is a manifest');
  const manifest = JSON.parse(Buffer.from(stored.bytes).toString());
  manifest.apps[key].blockStyle.color = color;
  expect(await store.replace('registry.json', Buffer.from(JSON.stringify(manifest)), stored.token)).toBe('replaced');
}

const CHANGED = { color: '#445566', icon: svg('rect') };

describe.each(PLACE_NAMES)('texts of listed apps in a %s', (name) => {
  test('are written together with versions, and recorded', async () => {
    const { open: connect, remote } = await open(name);
    const before = remote === undefined ? 0 : history(remote).commits;
    const texts = [described('clock', CHANGED)];
    const { results, entries } = await publish(placeOf(connect()), { texts, apps: [await prepared('lamp')] });
    expect(outcomes(results)).toEqual(['lamp: published']);
    expect(entries).toMatchObject([{ changes: { published: true, conflicts: [] }, error: null }]);
    expect(await colors(connect())).toEqual({ clock: '#445566', lamp: '#112233' });
    expect(await iconOf(connect(), 'clock')).toBe(CHANGED.icon.toString());
    expect(await listed(connect(), KEYS)).toEqual(['lamp 1.0.0']);
    expect((await lockOf(connect())).descriptions.get('clock')).toMatchObject({ color: '#445566' });
    if (remote !== undefined)
      expect(history(remote)).toEqual({ commits: before + 1, subject: 'Publish lamp 1.0.0; update app clock' });

    const lock = (await connect().read('appreg.lock.json'))?.token;
    const again = await publish(placeOf(connect()), { texts });
    expect(again.entries).toMatchObject([{ changes: { fields: [], icon: null, published: false } }]);
    expect((await connect().read('appreg.lock.json'))?.token).toBe(lock);
  });

  test('are completed by the next run after one that was killed', async () => {
    for (const when of ['before', 'after'] as const)
      for (let write = 0; ; write++) {
        const { open: connect } = await open(name);
        const texts = KEYS.map((key) => described(key, CHANGED));
        const isKilled = await publish(placeOf(killedAt(connect(), write, when)), { texts }).then(
          () => false,
          (error: unknown) => error instanceof Killed,
        );
        const { entries } = await publish(placeOf(connect()), { texts });
        expect(entries.flatMap(({ error, changes }) => [error, ...changes.conflicts])).toEqual([null, null]);
        expect(await colors(connect())).toEqual({ clock: '#445566', lamp: '#445566' });
        expect(await iconOf(connect(), 'lamp')).toBe(CHANGED.icon.toString());
        expect((await lockOf(connect())).descriptions.get('lamp')).toMatchObject({ color: '#445566' });
        if (!isKilled) {
          // Two icons, the manifest and the lock file.
          expect(write).toBe(isBatchStore(connect()) ? 1 : 4);
          break;
        }
      }
  }, 120_000);

  test('are the same from two runs at once', async () => {
    const { open: connect } = await open(name);
    const texts = KEYS.map((key) => described(key, CHANGED));
    const runs = await Promise.all([publish(placeOf(connect()), { texts }), publish(placeOf(connect()), { texts })]);
    const left = runs.flatMap(({ entries }) =>
      entries.filter(({ error, changes }) => error !== null || changes.conflicts.length > 0),
    );
    expect(left).toEqual([]);
    expect(await colors(connect())).toEqual({ clock: '#445566', lamp: '#445566' });
  });

  test('are not overwritten by a run that began before another process changed them', async () => {
    const { open: connect } = await open(name);
    const texts = KEYS.map((key) => described(key, CHANGED));
    const { store, isRaced } = racing(connect(), async () => paint(connect(), 'clock', '#999999'));
    const { entries } = await publish(placeOf(store), { texts });
    expect(isRaced()).toBe(true);
    expect(entries).toMatchObject([
      { changes: { fields: [], conflicts: [{ field: 'color', published: '#999999', recorded: '#112233' }] } },
      { changes: { fields: [{ field: 'color' }], conflicts: [], published: true } },
    ]);
    expect(await colors(connect())).toEqual({ clock: '#999999', lamp: '#445566' });
    // What was not published is not recorded.
    const { descriptions } = await lockOf(connect());
    expect([descriptions.get('clock')?.['color'], descriptions.get('lamp')?.['color']]).toEqual(['#112233', '#445566']);
  });
});

/** The same store; before its first write, another process does something. */
function racing(store: Store, rival: () => Promise<void>): { store: Store; isRaced(): boolean } {
  let raced = false;
  const first = async (): Promise<void> => {
    if (raced) return;
    raced = true;
    await rival();
  };
  const own: Store = {
    ...store,
    async create(...all) {
      await first();
      return store.create(...all);
    },
    async replace(...all) {
      await first();
      return store.replace(...all);
    },
  };
  const isRaced = (): boolean => raced;
  if (!isBatchStore(store)) return { store: own, isRaced };
  const batch = {
    ...store.batch,
    async write(...all: Parameters<typeof store.batch.write>) {
      await first();
      return store.batch.write(...all);
    },
  };
  return { store: Object.assign(own, { batch }), isRaced };
}

test('an entry that the rules refuse stops no other app', async () => {
  const { open: connect } = await open('memory');
  const texts = [described('clock', { color: 'red' }), described('lamp', CHANGED)];
  const { entries } = await publish(placeOf(connect()), { texts });
  expect(entries.map(({ app, error }) => [app.key, error?.code ?? null]).toSorted()).toEqual([
    ['clock', 'rule-violation'],
    ['lamp', null],
  ]);
  expect(await colors(connect())).toEqual({ clock: '#112233', lamp: '#445566' });
});

test('an entry that cannot be edited stops no other app', async () => {
  const { open: connect } = await open('memory');
  const stored = await connect().read('registry.json');
  const manifest = JSON.parse(Buffer.from(stored?.bytes ?? '').toString());
  manifest.apps.clock.blockStyle = 'none';
  await connect().replace('registry.json', Buffer.from(JSON.stringify(manifest)), stored?.token ?? '');
  const texts = KEYS.map((key) => described(key, CHANGED));
  const { entries } = await publish(placeOf(connect()), { texts });
  expect(entries.map(({ app, error }) => [app.key, error?.code ?? null]).toSorted()).toEqual([
    ['clock', 'document-invalid'],
    ['lamp', null],
  ]);
});

test('an app that is no longer listed has no texts', async () => {
  const store = memoryStore({ 'registry.json': '{ "apps": {} }' });
  const { entries } = await publish(placeOf(store), { texts: [described('clock', CHANGED)] });
  expect(entries).toEqual([]);
});
