import { describe, expect, test } from 'vitest';
import { publishVersion } from '../../src/publish/publish-version.ts';
import type { Published } from '../../src/publish/version-attempts.ts';
import type { Store } from '../../src/store/store.ts';
import { artifact, BASE, JUDGEMENT, memoryStore, placeOf, tarGz } from './memory.ts';

/** Notes are written with the version that they are about. */

const ABOUT = 'apps/a/versions.about.json';
const one = tarGz('1');

function registry(files: Record<string, string> = {}): ReturnType<typeof memoryStore> {
  const entry = {
    name: 'A',
    description: 'An app.',
    blockStyle: { iconUrl: `${BASE}i.svg`, color: '#336699' },
    appMetadataUrl: `${BASE}apps/a/versions.json`,
  };
  return memoryStore({
    'registry.json': JSON.stringify({ apps: { a: entry } }),
    'apps/a/versions.json': '{ "versions": [] }\n',
    ...files,
  });
}

async function published(store: Store, notes: string | null, version = '1.0.0', bytes = one): Promise<Published> {
  const made = await artifact(bytes);
  const wanted = { key: 'a', version, artifact: made, listing: null, notes: () => notes };
  // Versions that are published at once are listed in any order.
  return publishVersion(placeOf(store), wanted, { ...JUDGEMENT, allow: { lower: true } });
}

async function read(store: Store, path = ABOUT): Promise<{ versions: Record<string, object> } | null> {
  const stored = await store.read(path);
  return stored === null
    ? null
    : (JSON.parse(Buffer.from(stored.bytes).toString()) as { versions: Record<string, object> });
}

describe('notes', () => {
  test('are written before the version is listed, with the time', async () => {
    const store = registry();
    const { isNew, results } = await published(store, 'First.');
    expect(isNew).toBe(true);
    expect(results.map(({ step }) => step.path)).toEqual([
      'apps/a/versions/1.0.0.tar.gz',
      ABOUT,
      'apps/a/versions.json',
    ]);
    const time = JUDGEMENT.now.replace(/\.\d+Z$/, 'Z');
    expect(await read(store)).toEqual({ schema: 1, versions: { '1.0.0': { published: time, notes: 'First.' } } });
  });

  test('the time is that of the store', async () => {
    const store = { ...registry(), now: () => Date.parse('2030-01-02T03:04:05.678Z') };
    await published(store, 'First.');
    expect(await read(store)).toMatchObject({ versions: { '1.0.0': { published: '2030-01-02T03:04:05Z' } } });
  });

  test('without notes, the about file is not even read', async () => {
    const store = registry({ [ABOUT]: '{ "schema": 2 }' });
    const reads: string[] = [];
    const watched: Store = {
      ...store,
      async read(path) {
        reads.push(path);
        return store.read(path);
      },
    };
    expect((await published(watched, null)).isNew).toBe(true);
    expect(reads).not.toContain(ABOUT);
  });

  test('of a listed version are added and corrected, without a time', async () => {
    const store = registry();
    await published(store, null);
    const added = await published(store, 'First.');
    expect(added.isNew).toBe(false);
    expect(await read(store)).toEqual({ schema: 1, versions: { '1.0.0': { notes: 'First.' } } });
    await published(store, 'Corrected.');
    expect(await read(store)).toEqual({ schema: 1, versions: { '1.0.0': { notes: 'Corrected.' } } });
  });

  test('are kept if the run is interrupted before the version is listed', async () => {
    const store = registry();
    const stopping: Store = {
      ...store,
      async replace(path, bytes, token) {
        if (path === 'apps/a/versions.json') throw new Error('killed');
        return store.replace(path, bytes, token);
      },
    };
    await expect(published(stopping, 'First.')).rejects.toThrow('killed');
    const left = await read(store);
    expect(left).toMatchObject({ versions: { '1.0.0': { notes: 'First.' } } });
    await published({ ...store, now: () => 0 }, 'First.');
    expect(await read(store)).toEqual(left);
    expect(await read(store, 'apps/a/versions.json')).toMatchObject({ versions: [{ version: '1.0.0' }] });
  });

  test('that are too long, and a broken file, are refused before anything is written', async () => {
    const store = registry();
    await expect(published(store, 'x'.repeat(20_001))).rejects.toMatchObject({ code: 'rule-violation', exit: 1 });
    expect(await store.digest('apps/a/versions/1.0.0.tar.gz')).toBeNull();
    const broken = registry({ [ABOUT]: '{ "schema": 2 }' });
    await expect(published(broken, 'First.')).rejects.toMatchObject({ code: 'about-invalid', exit: 1 });
    expect(await broken.digest('apps/a/versions/1.0.0.tar.gz')).toBeNull();
  });

  test('of a listed version that are too long are refused, as those of a new one are', async () => {
    const store = registry();
    await published(store, 'First.');
    const before = await read(store);
    await expect(published(store, 'x'.repeat(20_001))).rejects.toMatchObject({ exit: 1 });
    expect(await read(store)).toEqual(before);
  });

  test('of twenty versions at once are all in the file', async () => {
    const store = registry();
    const versions = Array.from({ length: 20 }, (_, patch) => `1.0.${patch}`);
    await Promise.all(versions.map((version) => published(store, `Notes of ${version}.`, version, tarGz(version))));
    expect(Object.keys((await read(store))?.versions ?? {}).toSorted()).toEqual(versions.toSorted());
  });
});
