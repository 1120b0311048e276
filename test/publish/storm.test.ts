// Scenario: many publishers write for a long time, and are killed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Kind, KINDS } from '../support/arena.ts';
import { addedEntries, noCeph, openPlaces, type Places } from '../support/places.ts';
import { killAtRandom, killAtSteps, publish, publishAtOnce } from '../support/storm.ts';

/** Real processes publish to every store concurrently, and some are killed: nothing is lost. A hundred rounds are in bench/storm.mjs. */

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
}, 120_000);
afterAll(() => places.close());

// [store, concurrent publishers, new apps, the steps at which a publisher is killed, publishers killed at random]
// A publisher in git is eighty processes.
const STORMS: [Kind, number, number, string[], number][] = [
  ['folder', 8, 2, ['after-link', 'after-rename'], 1],
  ['git', 4, 1, ['after-send'], 1],
  ['git over http', 2, 0, ['before-send'], 0],
  ['bucket in memory', 8, 2, ['before-send', 'after-send'], 1],
  ['bucket of Ceph', 6, 1, ['after-send'], 0],
];
test('every store is in the table', () => {
  expect(STORMS.map(([kind]) => kind)).toEqual(KINDS);
});

// Each kind uses a separate store, since they run at the same time.
describe.concurrent.each(STORMS)('%s', (kind, publishers, adders, steps, random) => {
  const skip = kind === 'bucket of Ceph' && noCeph.skip;
  const name = `${publishers} concurrent publishers and ${adders} new apps are all stored, also if publishers are killed${skip ? noCeph.why : ''}`;
  test.skipIf(skip)(name, { timeout: 120_000 }, async () => {
    const { storm } = await places.opened(kind);
    const lines = await addedEntries(storm, async () => {
      await publishAtOnce(storm, publishers, adders);
      expect(await killAtSteps(storm, steps, 1)).toBe(steps.length);
      for (let i = 0; i < random; i++) await killAtRandom(storm);
    });
    expect(lines).toHaveLength(publishers + adders + steps.length + random);
  });
});

test.skipIf(noCeph.skip)(`a real bucket reports a wrong key without printing it${noCeph.why}`, async () => {
  const { storm } = await places.opened('bucket of Ceph');
  const { file } = storm.artifact();
  const secret = { AWS_SECRET_ACCESS_KEY: 'a-canary-of-a-wrong-key' };
  const { code, stdout, stderr } = await storm.run([...publish('minor', file), '--verbose'], secret);
  expect(stderr).toContain('Check AWS_SECRET_ACCESS_KEY');
  expect(stdout + stderr).not.toContain('canary');
  expect(code).toBe(2);
});
