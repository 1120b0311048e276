// Scenario: many publishers of one app, in every store.
import { afterEach, describe, expect, test } from 'vitest';
import { applyPlan } from '../../src/publish/apply-plan.ts';
import { planRetirement } from '../../src/publish/deprecate.ts';
import { appToPublish } from '../../src/publish/listed-app.ts';
import { publishVersion } from '../../src/publish/publish-version.ts';
import type { Store } from '../../src/store/store.ts';
import {
  aboutOf,
  history,
  listed,
  OPTIONS,
  type Place,
  PLACE_NAMES,
  prepared,
  publishApps,
  registryOf,
} from '../release/apps-fixture.ts';
import { artifact, JUDGEMENT, placeOf, tarGz } from './memory.ts';

/** What many publishers write to one app at once is all kept. */

const opened: Place[] = [];
afterEach(async () => {
  for (const place of opened.splice(0)) await place.close();
});

async function registry(name: string): Promise<Place> {
  const place = await registryOf(name, ['a']);
  opened.push(place);
  return place;
}

/** @returns the version that was published */
async function publishNext(store: Store, code: string): Promise<string> {
  const wanted = { key: 'a', version: 'patch', artifact: await artifact(tarGz(code)), listing: null };
  const done = await publishVersion(placeOf(store), wanted, JUDGEMENT);
  return done.planned.entry.version;
}

describe.each(PLACE_NAMES)('in a %s', (name) => {
  test('twenty publishers at once are all listed', async () => {
    const place = await registry(name);
    await publishApps(placeOf(place.open()), [await prepared('a')], OPTIONS);
    const count = name === 'git' ? 6 : 20;
    const versions = await Promise.all(
      Array.from({ length: count }, (_, at) => publishNext(place.open(), `code ${at}`)),
    );
    expect(new Set(versions).size).toBe(count);
    expect(await listed(place.open(), ['a'])).toHaveLength(count + 1);
  });

  test('retirements at once are all kept', async () => {
    const place = await registry(name);
    const numbers = ['1.0.0', '1.0.1', '1.0.2', '1.0.3'];
    for (const version of numbers)
      await publishApps(placeOf(place.open()), [await prepared('a', version, version)], OPTIONS);
    const retire = async (version: string): Promise<void> => {
      const at = placeOf(place.open());
      const app = await appToPublish(at, 'a');
      const selects = (one: string): boolean => one === version;
      const reason = { reason: 'broken', message: `Not ${version}.`, use: '1.0.3' } as const;
      const settings = { ...JUDGEMENT, since: '2026-01-01' };
      const { plan } = await planRetirement(at, app, { selects, asGiven: version }, reason, settings);
      expect(plan.title).toBe(`Retire a ${version} (broken)`);
      await applyPlan(plan, at.store);
    };
    await Promise.all(numbers.slice(0, 3).map(retire));
    expect(Object.keys((await aboutOf(place.open(), 'a'))?.versions ?? {}).toSorted()).toEqual(numbers.slice(0, 3));
    // Each is one commit.
    if (place.remote !== undefined) expect(history(place.remote)).toMatchObject({ commits: 8 });
  });
});
