// Scenario: dozens of apps are listed by every number of jobs and runs, in every store.
import { afterEach, describe, expect, test } from 'vitest';
import type { PreparedApp } from '../../src/release/evaluate.ts';
import { isBatchStore, type Store, type Stored } from '../../src/store/store.ts';
import { BASE, placeOf } from '../publish/memory.ts';
import {
  listed,
  lockOf,
  OPTIONS,
  outcomes,
  type Place,
  PLACE_NAMES,
  prepared,
  recorded,
  registryOf,
  publishApps,
} from './apps-fixture.ts';

/** A release of many new apps lists each of them in one run, and no write removes an app from the manifest. */

const opened: Place[] = [];
afterEach(async () => {
  for (const place of opened.splice(0)) await place.close();
});

const MANIFEST = 'registry.json';

function keysIn(bytes: Uint8Array): string[] {
  return Object.keys((JSON.parse(Buffer.from(bytes).toString()) as { apps: object }).apps);
}

/** The same store. Each write of the manifest is compared with the state that it replaces: `removed` gets what it lacks. */
function watched(store: Store, removed: string[]): Store {
  const states = new Map<string | null, string[]>();
  const seen = (path: string, stored: Stored | null | undefined): void => {
    if (path === MANIFEST && stored) states.set(stored.token, keysIn(stored.bytes));
  };
  const written = (path: string, bytes: unknown, token: string | null): void => {
    if (path !== MANIFEST) return;
    const keys = new Set(keysIn(bytes as Uint8Array));
    removed.push(...(states.get(token) ?? []).filter((key) => !keys.has(key)));
  };
  const own: Store = {
    ...store,
    async read(path) {
      const stored = await store.read(path);
      seen(path, stored);
      return stored;
    },
    async replace(path, bytes, token, details) {
      const answer = await store.replace(path, bytes, token, details);
      if (answer === 'replaced') written(path, bytes, token);
      return answer;
    },
  };
  if (!isBatchStore(store)) return own;
  const batch: typeof store.batch = {
    async read(paths) {
      const found = await store.batch.read(paths);
      for (const [path, stored] of found) seen(path, stored);
      return found;
    },
    async write(writes, why) {
      const answer = await store.batch.write(writes, why);
      if (answer === 'written') for (const { path, bytes, token } of writes) written(path, bytes, token);
      return answer;
    },
  };
  return Object.assign(own, { batch });
}

async function newApps(count: number): Promise<PreparedApp[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const key = `app-${at}`;
      const entry = {
        name: key,
        description: 'An app.',
        blockStyle: { iconUrl: 'https://icons.example.net/icon.svg', color: '#112233' },
        appMetadataUrl: `${BASE}apps/${key}/versions.json`,
      };
      const listing = { key, source: `apps/${key}/app.json`, text: '', entry, given: {}, icon: null, image: null };
      return { ...(await prepared(key)), listing };
    }),
  );
}

/** A store that writes several files at once gets all apps in one write, whatever the number of jobs is. */
const casesIn = (name: string): { count: number; jobs: number; runs: number }[] =>
  [15, 40].flatMap((count) =>
    (name === 'git' ? [8] : [1, 2, 8]).flatMap((jobs) => [1, 2].map((runs) => ({ count, jobs, runs }))),
  );

describe.each(PLACE_NAMES)('in a %s', (name) => {
  test.each(casesIn(name))(
    '$count new apps are all listed, with $jobs jobs and $runs run(s) at once',
    async ({ count, jobs, runs }) => {
      const place = await registryOf(name, []);
      opened.push(place);
      const removed: string[] = [];
      const apps = await newApps(count);
      const keys = apps.map(({ key }) => key);
      // Two runs share half of the apps.
      const parts = runs === 1 ? [apps] : [apps.slice(0, (count * 3) / 4), apps.slice(count / 4)];
      const results = await Promise.all(
        parts.map((part) => publishApps(placeOf(watched(place.open(), removed)), part, { ...OPTIONS, jobs })),
      );
      expect(
        results
          .flat()
          .filter(({ error }) => error !== null)
          .map((one) => outcomes([one])),
      ).toEqual([]);
      const store = place.open();
      const manifest = keysIn((await store.read(MANIFEST))!.bytes);
      expect(manifest.toSorted()).toEqual(keys.toSorted());
      // One run lists them in the order of the apps.
      if (runs === 1) expect(manifest).toEqual(keys);
      expect(await listed(store, keys)).toEqual(keys.map((key) => `${key} 1.0.0`));
      expect(recorded(await lockOf(store)).toSorted()).toEqual(keys.map((key) => `${key} 1.0.0`).toSorted());
      expect(removed).toEqual([]);
    },
    60_000,
  );
});
