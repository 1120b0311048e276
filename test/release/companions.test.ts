import { afterEach, describe, expect, test } from 'vitest';
import { companionPath } from '../../src/core/registry/companion.ts';
import { message } from '../../src/core/text/message.ts';
import { isAppregError } from '../../src/core/errors/error.ts';
import { planVersion, publishVersion, readApp } from '../../src/publish/publish-version.ts';
import type { Published } from '../../src/publish/version-attempts.ts';
import type { ArtifactToStore, Companion } from '../../src/publish/artifact.ts';
import type { Store } from '../../src/store/store.ts';
import { remembering } from '../../src/store/remember.ts';
import {
  history,
  Killed,
  killedAt,
  listed,
  OPTIONS,
  type Place,
  PLACE_NAMES,
  prepared,
  registryOf,
  publishApps,
} from './apps-fixture.ts';
import { artifact, JUDGEMENT, placeOf, tarGz } from '../publish/memory.ts';

/** Files beside an artifact, on every store. */

const places: Place[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
});

async function registry(name: string, keys: readonly string[] = ['a']): Promise<Place> {
  const place = await registryOf(name, keys);
  places.push(place);
  return place;
}

const BILL = companionPath('apps/a/versions/1.0.0.tar.gz', 'sbom');

/** A bill of materials with this content, about these bytes; another one about the same bytes may stay. */
function bill(code: string, content: string): Companion {
  return {
    kind: 'sbom',
    bytes: Buffer.from(`${code}: ${content}`),
    what: 'the bill of materials',
    difference: (stored) =>
      Buffer.from(stored).toString().startsWith(`${code}: `) ? null : message`It is another one.`,
  };
}

/** An artifact of this code with a bill of materials, which depends on the version. */
async function withBill(code: string, content = 'bill'): Promise<ArtifactToStore> {
  const made = await artifact(tarGz(code));
  if (made.bytes === null) throw new Error('it has bytes');
  return { ...made, companions: ({ version }) => [bill(code, `${content} of ${version}`)] };
}

async function published(store: Store, version: string, made: ArtifactToStore): Promise<Published> {
  return publishVersion(placeOf(store), { key: 'a', version, artifact: made, listing: null }, JUDGEMENT);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => {
      if (isAppregError(error)) return error.code;
      throw error;
    },
  );
}

async function textAt(store: Store, path: string): Promise<string | null> {
  const stored = await store.read(path);
  return stored && Buffer.from(stored.bytes).toString();
}

describe.each(PLACE_NAMES)('a bill of materials in a store: %s', (name) => {
  test('is stored before the version is listed, once, and is planned by a dry run', async () => {
    const place = await registry(name);
    const store = place.open();
    const version = { key: 'a', version: '1.0.0', artifact: await withBill('x'), listing: null };
    const planned = await planVersion(placeOf(store), await readApp(placeOf(store), version), version, JUDGEMENT);
    expect(planned.plan.steps.map(({ kind, path }) => [kind, path])).toEqual([
      ['create', 'apps/a/versions/1.0.0.tar.gz'],
      ['create', BILL],
      ['edit', 'apps/a/versions.json'],
    ]);
    expect(planned.files).toContain(BILL);
    expect(await textAt(place.open(), BILL)).toBeNull();

    expect((await published(place.open(), '1.0.0', version.artifact)).isNew).toBe(true);
    expect(await textAt(place.open(), BILL)).toBe('x: bill of 1.0.0');
    expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0']);
    if (place.remote !== undefined)
      expect(history(place.remote)).toMatchObject({ commits: 2, subject: 'Publish a 1.0.0' });
    const again = await published(place.open(), '1.0.0', version.artifact);
    expect([again.isNew, again.results]).toEqual([false, []]);
  });

  test('is added to a version that has none, and never replaced', async () => {
    const place = await registry(name);
    const { companions: _, ...plain } = await withBill('x');
    await published(place.open(), '1.0.0', plain);
    const added = await published(place.open(), '1.0.0', await withBill('x'));
    expect([added.isNew, added.results.map(({ step }) => step.path)]).toEqual([false, [BILL]]);
    expect(added.planned.plan.title).toBe('Add the bill of materials of a 1.0.0');
    const other = await published(place.open(), '1.0.0', await withBill('x', 'another'));
    expect(other.results).toEqual([]);
    expect(await textAt(place.open(), BILL)).toBe('x: bill of 1.0.0');
  });

  test('of other bytes, which an interrupted run left, is refused; an increment skips its number', async () => {
    const place = await registry(name);
    await place.open().create(BILL, Buffer.from('y: of other bytes'));
    expect(await codeOf(published(place.open(), '1.0.0', await withBill('x')))).toBe('immutable');
    expect(await listed(place.open(), ['a'])).toEqual([]);
    await published(place.open(), '0.9.9', await withBill('w'));
    await published(place.open(), 'major', await withBill('x'));
    expect(await listed(place.open(), ['a'])).toEqual(['a 0.9.9', 'a 1.0.1']);
    expect(await textAt(place.open(), BILL)).toBe('y: of other bytes');
  });

  test('survives a run that was killed at each write: the next run completes it', { timeout: 120_000 }, async () => {
    for (const when of ['before', 'after'] as const) {
      // A commit is one write.
      for (let write = 0; write < (name === 'git' ? 1 : 3); write++) {
        const place = await registry(name);
        const outcome = await published(killedAt(place.open(), write, when), '1.0.0', await withBill('x')).catch(
          (error: unknown) => error,
        );
        if (!(outcome instanceof Killed)) throw outcome;
        // Nothing is listed without its evidence.
        const left = await listed(place.open(), ['a']);
        expect(left.length === 0 || (await textAt(place.open(), BILL)) !== null).toBe(true);
        await published(place.open(), '1.0.0', await withBill('x'));
        expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0']);
        expect(await textAt(place.open(), BILL)).toBe('x: bill of 1.0.0');
      }
    }
  });

  test('by two publishers at once is that of one of them, and both succeed', async () => {
    const place = await registry(name);
    const both = ['bill', 'another'].map(async (content) =>
      published(remembering(place.open()), '1.0.0', await withBill('x', content)),
    );
    await Promise.all(both);
    expect(await listed(place.open(), ['a'])).toEqual(['a 1.0.0']);
    expect(await textAt(place.open(), BILL)).toMatch(/^x: (bill|another) of 1\.0\.0$/);
  });

  test('is published with each app of a release', async () => {
    const place = await registry(name, ['a', 'b']);
    const apps = await Promise.all(
      ['a', 'b'].map(async (key) => ({ ...(await prepared(key)), artifact: await withBill(key) })),
    );
    await publishApps(placeOf(place.open()), apps, OPTIONS);
    expect(await listed(place.open(), ['a', 'b'])).toEqual(['a 1.0.0', 'b 1.0.0']);
    expect(await textAt(place.open(), BILL)).toBe('a: bill of 1.0.0');
    expect(await textAt(place.open(), companionPath('apps/b/versions/1.0.0.tar.gz', 'sbom'))).toBe('b: bill of 1.0.0');
    if (place.remote !== undefined) expect(history(place.remote).commits).toBe(2);
  });
});
