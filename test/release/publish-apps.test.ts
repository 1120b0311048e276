import { message } from '../../src/core/text/message.ts';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { AppEntry } from '../../src/author/manifest.ts';
import { LOCK_FILE } from '../../src/core/registry/lock-file.ts';
import { AppregError } from '../../src/core/errors/error.ts';
import type { RegistryLocation } from '../../src/publish/registry-location.ts';
import { isBatchStore, type Store } from '../../src/store/store.ts';
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
  PROVENANCE,
  recorded,
  registryOf,
  planApps,
  publishApps,
} from './apps-fixture.ts';
import { write } from '../support/folders.ts';
import { BASE, memoryStore, placeOf } from '../publish/memory.ts';
import { full } from '../publish/plan-fixture.ts';

/** The apps of a release, published to every kind of store. */

const KEYS = ['clock', 'lamp', 'radio'];
const ALL = ['clock 1.0.0', 'lamp 1.0.0', 'radio 1.0.0'];

const opened: Place[] = [];
afterEach(async () => {
  for (const place of opened.splice(0)) await place.close();
});

async function open(name: string, keys: readonly string[] = KEYS): Promise<Place> {
  const place = await registryOf(name, keys);
  opened.push(place);
  return place;
}

const at = (store: Store): RegistryLocation => placeOf(store);
const entryOf = (key: string): AppEntry => ({
  name: key,
  description: 'An app.',
  blockStyle: { iconUrl: 'https://icons.example.net/icon.svg', color: '#112233' },
  appMetadataUrl: `${BASE}apps/${key}/versions.json`,
});
const all = () => Promise.all(KEYS.map((key) => prepared(key)));

describe.each(PLACE_NAMES)('publishing several apps to a %s', (name) => {
  test('lists and records every app, and writes nothing when it runs again', async () => {
    const { open: connect } = await open(name);
    const results = await publishApps(at(connect()), await all(), OPTIONS);
    expect(outcomes(results)).toEqual(KEYS.map((key) => `${key}: published`));
    expect(results.map(({ entry }) => entry?.artifactUrl.slice(-20))).toEqual([
      'versions/1.0.0.tar.gz'.slice(1),
      'versions/1.0.0.tar.gz'.slice(1),
      'versions/1.0.0.tar.gz'.slice(1),
    ]);
    expect(await listed(connect(), KEYS)).toEqual(ALL);
    const lock = await lockOf(connect());
    expect(recorded(lock)).toEqual(ALL);
    expect(lock.versions.get('lamp')?.get('1.0.0')).toMatchObject({
      artifactChecksum: results[1]!.entry!.artifactChecksum,
      bytes: results[1]!.app.artifact.content.bytes,
      provenance: PROVENANCE,
    });

    const read = async (): Promise<unknown> => (await connect().read(LOCK_FILE))?.token;
    const before = await read();
    expect(outcomes(await publishApps(at(connect()), await all(), OPTIONS))).toEqual(
      KEYS.map((key) => `${key}: already-published`),
    );
    expect(await read()).toBe(before);
    expect(await listed(connect(), KEYS)).toEqual(ALL);
  });

  test('publishes the other apps if one fails', async () => {
    const { open: connect } = await open(name);
    await publishApps(at(connect()), [await prepared('lamp', '1.0.0', 'other bytes')], OPTIONS);
    const apps = [...(await all()), await prepared('unknown')];
    const results = await publishApps(at(connect()), apps, OPTIONS);
    expect(outcomes(results)).toEqual([
      'clock: published',
      'lamp: refused (immutable)',
      'radio: published',
      'unknown: refused (app-unknown)',
    ]);
    expect(results[1]!.error!.message).toMatch(
      /the listed checksum is sha256:[0-9a-f]{64}, yours is sha256:[0-9a-f]{64}\. .*Nothing was changed\.$/,
    );
    expect(await listed(connect(), KEYS)).toEqual(ALL);
    expect(recorded(await lockOf(connect()))).toEqual(expect.arrayContaining(ALL));
  });

  test('completes on the next run after it was killed before or after any write, and lists nothing twice', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let number = 0; ; number++) {
        const { open: connect } = await open(name);
        const run = publishApps(at(killedAt(connect(), number, when)), await all(), { ...OPTIONS, jobs: 2 });
        const isKilled = await run.then(
          () => false,
          (error: unknown) => error instanceof Killed,
        );
        // What is listed can be fetched.
        await listed(connect(), KEYS);
        const results = await publishApps(at(connect()), await all(), OPTIONS);
        expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
        expect(await listed(connect(), KEYS)).toEqual(ALL);
        expect(recorded(await lockOf(connect())).toSorted()).toEqual(ALL);
        if (!isKilled) {
          // The artifact and the metadata of each app, and the lock file.
          expect(number).toBe(isBatchStore(connect()) ? 1 : 7);
          break;
        }
      }
    }
  }, 120_000);

  test('succeeds for two concurrent releases with the same bytes', async () => {
    const { open: connect } = await open(name);
    const runs = await Promise.all([
      publishApps(at(connect()), await all(), OPTIONS),
      publishApps(at(connect()), await all(), OPTIONS),
    ]);
    for (const results of runs) expect(results.map(({ error }) => error)).toEqual([null, null, null]);
    for (const index of KEYS.keys())
      expect(runs.map((results) => results[index]!.outcome).toSorted()).toContain('published');
    expect(await listed(connect(), KEYS)).toEqual(ALL);
    expect(recorded(await lockOf(connect())).toSorted()).toEqual(ALL);
  });

  test('fails for one app of one of two concurrent releases with other bytes, and publishes the other apps', async () => {
    const { open: connect } = await open(name);
    const [mine, theirs] = await Promise.all([all(), all()]);
    theirs[1] = await prepared('lamp', '1.0.0', 'other bytes');
    const runs = await Promise.all([
      publishApps(at(connect()), mine, OPTIONS),
      publishApps(at(connect()), theirs, OPTIONS),
    ]);
    const errors = runs.flatMap((results) => results.map(({ error }) => error)).filter((error) => error !== null);
    expect(errors.map(({ code, effect }) => [code, effect])).toEqual([['immutable', 'none']]);
    const refusals = runs.flatMap(outcomes).filter((line) => /^lamp: (failed|refused) \(immutable\)$/.test(line));
    expect(refusals).toHaveLength(1);
    expect(await listed(connect(), KEYS)).toEqual(ALL);
  });

  test('refuses a withdrawn version with other bytes', async () => {
    const { open: connect } = await open(name);
    await publishApps(at(connect()), await all(), OPTIONS);
    const store = connect();
    const path = 'apps/lamp/versions.json';
    await store.replace(path, Buffer.from('{ "versions": [] }'), (await store.read(path))!.token);
    const again = [await prepared('lamp', '1.0.0', 'other bytes'), await prepared('radio', '1.1.0', 'new')];
    expect(outcomes(await publishApps(at(connect()), again, OPTIONS))).toEqual([
      'lamp: refused (immutable)',
      'radio: published',
    ]);
  });

  test('plans every app and writes nothing in a dry run', async () => {
    const { open: connect } = await open(name);
    const store = killedAt(connect(), 0, 'before');
    const { results, plan } = await planApps(at(store), [...(await all()), await prepared('unknown')], OPTIONS);
    expect(outcomes(results)).toEqual([
      'clock: planned',
      'lamp: planned',
      'radio: planned',
      'unknown: refused (app-unknown)',
    ]);
    expect(plan.title).toBe('Publish clock 1.0.0, lamp 1.0.0, radio 1.0.0');
    expect(plan.steps.at(-1)).toMatchObject({ role: 'lock', what: 'the lock file, with 3 versions' });
    expect(await listed(connect(), KEYS)).toEqual([]);
  });
});

describe('publishing several apps to a git store', () => {
  test('creates one commit for all apps, and preserves concurrent commits', async () => {
    const { open: connect, remote } = await open('git');
    const store = connect();
    if (!isBatchStore(store)) throw new Error('it writes several files at once');
    const before = history(remote!);
    let rivals = 2;
    const write: typeof store.batch.write = async (...args) => {
      if (rivals-- > 0)
        await publishApps(at(connect()), [await prepared('radio', `0.${1 - rivals}.0`, `rival ${rivals}`)], OPTIONS);
      return store.batch.write(...args);
    };
    const results = await publishApps(
      at({ ...store, batch: { ...store.batch, write } } as Store),
      await all(),
      OPTIONS,
    );
    expect(outcomes(results)).toEqual(KEYS.map((key) => `${key}: published`));
    expect(history(remote!)).toEqual({
      commits: before.commits + 3,
      subject: 'Publish clock 1.0.0, lamp 1.0.0, radio 1.0.0',
    });
    expect((await listed(connect(), KEYS)).toSorted()).toEqual([
      'clock 1.0.0',
      'lamp 1.0.0',
      'radio 0.0.0',
      'radio 0.1.0',
      'radio 1.0.0',
    ]);
    expect(recorded(await lockOf(connect()))).toHaveLength(5);
  });

  test('fails for each app with the same error if the remote refuses the push, and writes nothing', async () => {
    const { open: connect, remote } = await open('git');
    const before = history(remote!);
    write(remote!, { 'hooks/pre-receive': '#!/bin/sh\necho "the branch is protected" >&2\nexit 1\n' });
    chmodSync(join(remote!, 'hooks/pre-receive'), 0o755);
    const results = await publishApps(at(connect()), await all(), OPTIONS);
    expect(results.map(({ outcome, error }) => [outcome, error?.code, error?.effect])).toEqual(
      KEYS.map(() => ['failed', 'git-push-rejected', 'none']),
    );
    expect(results[0]!.error!.message).toMatch(/the branch is protected.*Nothing was changed\.$/s);
    expect(results[0]!.error!.message).not.toContain('apps/lamp');
    expect(history(remote!)).toEqual(before);
  });

  test('counts the apps in the subject of a commit with many apps', async () => {
    const keys = Array.from({ length: 12 }, (_, i) => `app-${i}`);
    const { open: connect, remote } = await open('git', keys);
    await publishApps(at(connect()), await Promise.all(keys.map((key) => prepared(key))), OPTIONS);
    expect(history(remote!).subject).toBe('Publish 12 apps');
  });
});

test('an artifact is read back before it is listed, and an app that is not served is not listed', async () => {
  const { open: connect } = await open('memory');
  const store = connect();
  const results = await publishApps(at(store), await all(), {
    ...OPTIONS,
    async readBack({ artifactUrl }) {
      const key = /apps\/(.*?)\//.exec(artifactUrl)?.[1] ?? '';
      expect(KEYS).toContain(key);
      expect(await listed(store, [key])).toEqual([]);
      if (key === 'lamp') throw new AppregError('read-back-missing', message`It is not served.`, message`Wait.`);
    },
  });
  expect(outcomes(results)).toEqual(['clock: published', 'lamp: failed (read-back-missing)', 'radio: published']);
  expect(await listed(store, KEYS)).toEqual(['clock 1.0.0', 'radio 1.0.0']);
});

test('new apps are listed in the order of the apps, whichever is stored first', async () => {
  const store = memoryStore({ 'registry.json': '{ "apps": {} }' });
  const apps = (await all()).map((app) => ({
    ...app,
    listing: {
      key: app.key,
      source: `apps/${app.key}/app.json`,
      text: '',
      entry: entryOf(app.key),
      given: {},
      icon: null,
      image: null,
    },
  }));
  const results = await publishApps(at(store), apps, {
    ...OPTIONS,
    readBack: ({ artifactUrl }) => wait(artifactUrl.includes('clock') ? 50 : 0),
  });
  expect(outcomes(results)).toEqual(KEYS.map((key) => `${key}: published`));
  const manifest = JSON.parse(store.files.get('registry.json')!.toString());
  expect(Object.keys(manifest.apps)).toEqual(KEYS);
});

test('an app whose version is refused by a rule is not written', async () => {
  const { open: connect } = await open('memory');
  const apps = await all();
  const judgeSettings = {
    ...OPTIONS.judgeSettings,
    severities: { 'artifact-no-app': 'error' } as const,
    appEntry: 'main.js',
  };
  const results = await publishApps(at(connect()), apps, { ...OPTIONS, judgeSettings });
  expect(outcomes(results)).toEqual(KEYS.map((key) => `${key}: refused (rule-violation)`));
  expect(await listed(connect(), KEYS)).toEqual([]);
  expect(await connect().read(LOCK_FILE)).toBeNull();
});

test('a version without recorded sources is recorded when it is published again', async () => {
  const { open: connect } = await open('memory');
  const store = connect();
  await publishApps(at(store), await all(), OPTIONS);
  const lock = JSON.parse(Buffer.from((await store.read(LOCK_FILE))!.bytes).toString());
  for (const key of ['clock', 'lamp']) delete lock.apps[key]['1.0.0'].sources;
  const before = JSON.stringify(lock);
  await store.replace(LOCK_FILE, Buffer.from(before), (await store.read(LOCK_FILE))!.token);
  expect(recorded(await lockOf(store))).toEqual(['radio 1.0.0']);
  expect(outcomes(await publishApps(at(store), [await prepared('clock')], OPTIONS))).toEqual([
    'clock: already-published',
  ]);
  expect(recorded(await lockOf(store))).toEqual(['clock 1.0.0', 'radio 1.0.0']);
});

test('publishing fails as a whole for a broken lock file, and writes nothing', async () => {
  for (const name of ['memory', 'git']) {
    const { open: connect } = await open(name);
    await connect().create(LOCK_FILE, Buffer.from('{ "lock": 2 }'));
    await expect(publishApps(at(connect()), await all(), OPTIONS)).rejects.toMatchObject({ code: 'lock-file-invalid' });
    expect(await listed(connect(), KEYS)).toEqual([]);
  }
});

test('publishing fails as a whole without a manifest', async () => {
  await expect(publishApps(at(memoryStore({})), await all(), OPTIONS)).rejects.toMatchObject({
    code: 'manifest-missing',
  });
});

const EMPTY_LOCK = '{ "lock": 1, "apps": {} }\n';

describe.each(['memory', 'git'])('the lock file of a workspace whose registry is in a %s', (name) => {
  test('is the last step of the plan, and written last', async () => {
    const { open: connect } = await open(name);
    const workspace = memoryStore({ [LOCK_FILE]: EMPTY_LOCK });
    const options = { ...OPTIONS, workspace };
    const { plan } = await planApps(at(connect()), await all(), options);
    expect(plan.steps.slice(-2).map(({ role, path, what }) => [role, path, what])).toEqual([
      ['lock', LOCK_FILE, 'the lock file, with 3 versions'],
      ['workspace-lock', LOCK_FILE, 'the lock file of the workspace, with 3 versions'],
    ]);
    expect(recorded(await lockOf(workspace))).toEqual([]);
    expect(outcomes(await publishApps(at(connect()), await all(), options))).toEqual(
      KEYS.map((key) => `${key}: published`),
    );
    expect(recorded(await lockOf(workspace))).toEqual(ALL);
    expect(recorded(await lockOf(connect()))).toEqual(ALL);
    expect((await planApps(at(connect()), await all(), options)).plan.steps).toEqual([]);
  });

  test('if it cannot be written, each app is published, and the error says how to record it', async () => {
    const { open: connect } = await open(name);
    const workspace = { ...memoryStore({ [LOCK_FILE]: EMPTY_LOCK }), replace: full };
    const results = await publishApps(at(connect()), await all(), { ...OPTIONS, workspace });
    expect(outcomes(results)).toEqual(KEYS.map((key) => `${key}: published (disk-full)`));
    expect(results[0]!.error!.hint).toBe('Free some space. Then run appreg lock');
    expect(await listed(connect(), KEYS)).toEqual(ALL);
    expect(recorded(await lockOf(connect()))).toEqual(ALL);
  });

  test('if it is known that it cannot be written, nothing is', async () => {
    const { open: connect } = await open(name);
    const workspace: Store = { ...memoryStore({ [LOCK_FILE]: EMPTY_LOCK }), requireWritable: full };
    for (const dryRun of [true, false])
      await expect(publishApps(at(connect()), await all(), { ...OPTIONS, workspace, dryRun })).rejects.toMatchObject({
        code: 'disk-full',
      });
    expect(await listed(connect(), KEYS)).toEqual([]);
  });
});

test('an app with a file that cannot be written fails before anything is, also in a dry run', async () => {
  const { open: connect } = await open('memory');
  const store: Store = {
    ...connect(),
    requireWritable: async (path) => (path.startsWith('apps/lamp/') ? full() : undefined),
  };
  const { results, plan } = await planApps(at(store), await all(), OPTIONS);
  expect(outcomes(results)).toEqual(['clock: planned', 'lamp: failed (disk-full)', 'radio: planned']);
  expect(plan.steps.filter(({ path }) => path.startsWith('apps/lamp/'))).toEqual([]);
  expect(plan.steps.at(-1)).toMatchObject({ what: 'the lock file, with 2 versions' });
  expect(outcomes(await publishApps(at(store), await all(), OPTIONS))).toEqual([
    'clock: published',
    'lamp: failed (disk-full)',
    'radio: published',
  ]);
  expect(recorded(await lockOf(store))).toEqual(['clock 1.0.0', 'radio 1.0.0']);
});

test('new apps are listed with one step of the plan', async () => {
  const store = memoryStore({ 'registry.json': '{ "apps": {} }' });
  const apps = (await all()).map((app) => ({
    ...app,
    listing: {
      key: app.key,
      source: `apps/${app.key}/app.json`,
      text: '',
      entry: entryOf(app.key),
      given: {},
      icon: null,
      image: null,
    },
  }));
  const { plan } = await planApps(at(store), apps, OPTIONS);
  expect(plan.steps.filter(({ path }) => path === 'registry.json').map(({ what }) => what)).toEqual(['3 apps']);
});
