// Scenario: another publisher lists a version at each moment, in every store.
import { afterEach, describe, expect, test } from 'vitest';
import type { JudgeSettings } from '../../src/publish/check-change.ts';
import { publishVersion, type VersionToPublish } from '../../src/publish/publish-version.ts';
import { isBatchStore, type Store } from '../../src/store/store.ts';
import { refusal } from '../cli/author-support.ts';
import { listed, type Place, PLACE_NAMES, registryOf } from '../release/apps-fixture.ts';
import { artifact, JUDGEMENT, placeOf, tarGz } from './memory.ts';

/**
 * A plan whose documents have changed since they were read is made again, and judged and checked again, before anything of
 * it is written.
 */

const METADATA = 'apps/a/versions.json';

const opened: Place[] = [];
afterEach(async () => {
  for (const place of opened.splice(0)) await place.close();
});

type Publishing = (
  store: Store & { forget?(): void },
  version: string,
  code: string,
  more?: Pick<VersionToPublish, 'notes'> & { allow?: JudgeSettings['allow']; readBack?: () => Promise<void> },
) => Promise<string>;

/** @returns the version that was published */
const publishing: Publishing = async (store, version, code, { notes, allow = {}, ...options } = {}) => {
  const wanted = { key: 'a', version, artifact: await artifact(tarGz(code)), listing: null, notes };
  const done = await publishVersion(placeOf(store), wanted, { ...JUDGEMENT, allow }, options);
  return done.planned.entry.version;
};

/** A registry that lists `a` 1.0.0. */
async function registry(name: string): Promise<Place> {
  const place = await registryOf(name, ['a']);
  opened.push(place);
  await publishing(place.open(), '1.0.0', 'one');
  return place;
}

/** The same store; `rival` runs before the first write to which `at` applies. */
function before(store: Store, at: (path: string) => boolean, rival: () => Promise<unknown>): Store {
  let isDone = false;
  const first = async (paths: readonly string[]): Promise<void> => {
    if (isDone || !paths.some(at)) return;
    isDone = true;
    await rival();
  };
  const own: Store = {
    ...store,
    async create(path, ...rest) {
      await first([path]);
      return store.create(path, ...rest);
    },
    async replace(path, ...rest) {
      await first([path]);
      return store.replace(path, ...rest);
    },
  };
  if (!isBatchStore(store)) return own;
  const batch: typeof store.batch = {
    read: store.batch.read,
    async write(writes, why) {
      await first(writes.map(({ path }) => path));
      return store.batch.write(writes, why);
    },
  };
  return Object.assign(own, { batch });
}

const any = (): boolean => true;

describe.each(PLACE_NAMES)('in a %s, a version that another publisher lists meanwhile', (name) => {
  /** When the rival publishes: after the documents were read, or before a write. */
  const moments =
    name === 'git'
      ? (['before the first write'] as const)
      : (['after the first read', 'before the first write', 'before the metadata is written'] as const);

  /** Our store, and its rival at the given moment. */
  async function raced(
    moment: (typeof moments)[number],
    rival: (store: Store) => Promise<unknown>,
  ): Promise<{ store: Store; place: Place }> {
    const place = await registry(name);
    const store = place.open();
    const act = (): Promise<unknown> => rival(place.open());
    if (moment !== 'after the first read')
      return {
        store: before(store, moment === 'before the first write' ? any : (path) => path === METADATA, act),
        place,
      };
    await store.read('registry.json');
    await store.read(METADATA);
    await act();
    return { store, place };
  }

  test.each(moments)('refuses a lower one, %s', async (moment) => {
    const { store, place } = await raced(moment, (other) => publishing(other, '1.2.0', 'theirs'));
    const error = await refusal(publishing(store, '1.1.0', 'ours'));
    expect(error).toMatchObject({ code: 'version-lower', exit: 1 });
    expect(error.message).toContain('1.2.0');
    expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0', 'a 1.2.0']);
    // What was stored before is named.
    const artifactPath = 'apps/a/versions/1.1.0.tar.gz';
    const isStored = (await place.open().digest(artifactPath)) !== null;
    expect(error.message).toContain(isStored ? `Stored: ${artifactPath}.` : 'Nothing was changed.');
  });

  test.each(moments)('refuses the same bytes, %s', async (moment) => {
    const { store, place } = await raced(moment, (other) => publishing(other, '1.1.0', 'same'));
    expect(await refusal(publishing(store, '1.2.0', 'same'))).toMatchObject({ code: 'version-same-bytes', exit: 1 });
    expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0', 'a 1.1.0']);
  });

  test.each(moments)('refuses a lower one with notes, %s', async (moment) => {
    const { store, place } = await raced(moment, (other) => publishing(other, '1.2.0', 'theirs'));
    expect(await refusal(publishing(store, '1.1.0', 'ours', { notes: () => 'Ours.' }))).toMatchObject({
      code: 'version-lower',
    });
    expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0', 'a 1.2.0']);
  });

  test.each(moments)('refuses a lower one that is read back first, %s', async (moment) => {
    const { store, place } = await raced(moment, (other) => publishing(other, '1.2.0', 'theirs'));
    const ours = publishing(store, '1.1.0', 'ours', { readBack: async () => {} });
    expect(await refusal(ours)).toMatchObject({ code: 'version-lower' });
    expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0', 'a 1.2.0']);
  });

  test.each(moments)('is kept, and ours listed, if that is allowed or higher, %s', async (moment) => {
    const lower = await raced(moment, (other) => publishing(other, '1.2.0', 'theirs'));
    expect(await publishing(lower.store, '1.1.0', 'ours', { allow: { lower: true } })).toBe('1.1.0');
    expect((await listed(lower.place.open(), ['a'])).toSorted()).toEqual(['a 1.0.0', 'a 1.1.0', 'a 1.2.0']);
    const higher = await raced(moment, (other) => publishing(other, '1.1.0', 'theirs'));
    expect(await publishing(higher.store, '1.2.0', 'ours')).toBe('1.2.0');
    expect(await listed(higher.place.open(), ['a'])).toEqual(['a 1.0.0', 'a 1.1.0', 'a 1.2.0']);
  });

  test.each(moments)('makes an increment continue above it, %s', async (moment) => {
    const { store, place } = await raced(moment, (other) => publishing(other, '1.4.0', 'theirs'));
    expect(await publishing(store, 'patch', 'ours')).toBe('1.4.1');
    expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0', 'a 1.4.0', 'a 1.4.1']);
  });
});
