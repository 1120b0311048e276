import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import { joinShards, type NamedSnapshot, shardOf } from '../../../src/core/engine/shards.ts';
import { load } from '../../support/host-load.ts';
import { metadataWith, snapshot } from '../../support/snapshots.ts';

const KEYS = Array.from({ length: 60 }, (_, i) => `app-${i}`);

/** The parts of a whole, as the shards of a run would save them. */
function splitIntoShards(whole: Snapshot, of: number): NamedSnapshot[] {
  return Array.from({ length: of }, (_, i) => {
    const apps = whole.apps.filter((app) => shardOf(app.key, of) === i + 1);
    return {
      file: `facts-${i + 1}.json`,
      snapshot: { ...whole, apps, shard: { index: i + 1, of, elsewhere: whole.apps.length - apps.length } },
    };
  });
}

/** With errors in the manifest, in an app's entry and in metadata files, and more not judged than is listed one by one. */
const faulty = (): Snapshot =>
  snapshot(
    {
      apps: Object.fromEntries(
        ['a-b', 'a_b', ...KEYS].map((key) => [
          key,
          {
            name: key === 'app-7' ? '' : 'x',
            description: 'x',
            blockStyle: { iconUrl: 'https://apps.example.com/i.svg', color: key === 'app-9' ? 'red' : '#112233' },
            appMetadataUrl: `https://apps.example.com/${key}.json`,
          },
        ]),
      ),
    },
    { 'app-3': '{', 'app-5': { versions: [] }, 'app-8': metadataWith('1.0.0', '1.0.0', 'v2', '3.0.0-rc') },
  );

const judgedAlone = (facts: Snapshot): unknown => judge(facts, { command: 'judge' });

describe('the shard of an app', () => {
  test('does not change between releases', () => {
    expect(['app-a', 'slack', 'github', ''].map((key) => shardOf(key, 8))).toEqual([2, 3, 6, 4]);
  });

  test.each([1, 2, 3, 7, 16])('is chosen evenly among %i shards', (of) => {
    const counts = Array.from({ length: of }, () => 0);
    for (let i = 0; i < 8000; i++) counts[shardOf(`app-${i}`, of) - 1]! += 1;
    for (const count of counts) expect(Math.abs(count - 8000 / of)).toBeLessThan(8000 / of / 4);
  });
});

describe('joined shards', () => {
  test.each([2, 3, 5, 64])('give the same report as the whole snapshot for %i shards in any order', (of) => {
    const whole = faulty();
    expect(judgedAlone(joinShards(splitIntoShards(whole, of)))).toEqual(judgedAlone(whole));
    expect(judgedAlone(joinShards(splitIntoShards(whole, of).toReversed()))).toEqual(judgedAlone(whole));
  });

  test('add up the requests to each host', () => {
    const whole = snapshot(['a', 'b', 'c', 'd']);
    const [first, second] = splitIntoShards(whole, 2);
    first!.snapshot.hosts = [load({ 4: [60, 0], 9: [0, 2] }, ['status 503'])];
    second!.snapshot.hosts = [load({ 4: [60, 0], 9: [0, 1], 10: [0, 2] }, ['ECONNRESET'])];
    const joined = joinShards([first!, second!]);
    expect(joined.hosts).toEqual([load({ 4: [120, 0], 9: [0, 3], 10: [0, 2] }, ['ECONNRESET', 'status 503'])]);
    const limits = judge(joined, { command: 'judge' }).findings.map(({ rule, evidence }) => [rule, evidence['limit']]);
    expect(limits).toContainEqual(['host-limits-requests', 8]);
    expect(joinShards(splitIntoShards(whole, 2)).hosts).toBeUndefined();
  });

  test('report each error in one shard only', () => {
    const whole = faulty();
    const found = splitIntoShards(whole, 3).flatMap(({ snapshot: part }) =>
      judge(part, { command: 'judge' }).findings.map((f) => `${f.rule} ${f.pointer} ${f.app}`),
    );
    expect(found.toSorted()).toEqual(
      judge(whole, { command: 'judge' })
        .findings.map((f) => `${f.rule} ${f.pointer} ${f.app}`)
        .toSorted(),
    );
  });

  test('state which parts belong to other shards, and do not clear symptoms that they did not judge', () => {
    const [first, second] = splitIntoShards(snapshot(['a', 'b', 'c', 'd', 'e', 'f']), 2).map(({ snapshot: part }) =>
      judge(part, { command: 'judge' }),
    );
    expect(first!.summary.apps + second!.summary.apps).toBe(6);
    expect(first!.notJudged).toContainEqual(
      expect.objectContaining({
        rule: '*',
        reason: `${second!.summary.apps} apps of the other shards (this run is one of 2 shards)`,
      }),
    );
    expect(first!.outcome).toBe('clean');
    expect(second!.outcome).toBe('clean');
    expect(second!.notJudged).toContainEqual(
      expect.objectContaining({
        rule: '*',
        resource: 'manifest',
        reason: 'the manifest, which shard 1 of 2 reports on',
      }),
    );
    expect(second!.symptoms[0]).toMatchObject({ id: 'registry-does-not-refresh', status: 'not-judged' });
  });

  test('report an unreadable manifest in every shard', () => {
    for (const { snapshot: part } of splitIntoShards(snapshot('{'), 2))
      expect(judge(part, { command: 'judge' }).findings.map((f) => f.rule)).toEqual(['document-unreadable']);
  });

  test('are the unchanged snapshot if there is only one file', () => {
    const [part] = splitIntoShards(snapshot(['a']), 2);
    expect(joinShards([part!])).toBe(part!.snapshot);
  });
});

describe('the joined report is incomplete because of', () => {
  test.each<[string, (all: NamedSnapshot[]) => NamedSnapshot[], RegExp]>([
    ['a missing shard', (all) => all.slice(1), /^shard 1 of 4 is missing$/],
    ['two missing shards', (all) => [all[0]!, all[2]!], /^shards 2, 4 of 4 are missing$/],
    [
      'an interrupted shard',
      (all) => {
        all[1]!.snapshot.incomplete = 'interrupted after 1 app';
        return all;
      },
      /^shard 2: interrupted after 1 app$/,
    ],
    [
      'different manifests',
      (all) => {
        all[3]!.snapshot.manifest = snapshot(['other']).manifest;
        return all;
      },
      /the manifest changed/,
    ],
    [
      'apps left out by --app',
      (all) => {
        all[2]!.snapshot.apps = [];
        return all;
      },
      /run with different --app options/,
    ],
  ])('%s', (_, spoil, reason) => {
    const joined = joinShards(spoil(splitIntoShards(snapshot(KEYS), 4)));
    expect(joined.incomplete).toMatch(reason);
    expect(judge(joined, { command: 'judge' }).outcome).toBe('incomplete');
  });
});

test.each<[string, (all: NamedSnapshot[]) => NamedSnapshot[], RegExp]>([
  ['another registry', ([a, b]) => [a!, { ...b!, snapshot: { ...b!.snapshot, target: 'https://x.test/' } }], /x\.test/],
  [
    'another division',
    ([a]) => [a!, splitIntoShards(snapshot(KEYS), 3)[1]!],
    /facts-2\.json is from a run with 3 shards, facts-1\.json from one with 2/,
  ],
  ['other origins', ([a, b]) => [a!, { ...b!, snapshot: { ...b!.snapshot, origins: ['https://x.test'] } }], /origins/],
  [
    'other requirements for attestations',
    ([a, b]) => [a!, { ...b!, snapshot: { ...b!.snapshot, attestations: { mode: 'report', signer: null } } }],
    /different requirements for attestations/,
  ],
  ['the same shard twice', ([a]) => [a!, { ...a!, file: 'copy.json' }], /facts-1\.json and copy\.json are both/],
  ['a whole run', ([a]) => [a!, { file: 'whole.json', snapshot: snapshot(KEYS) }], /whole\.json .*not of a shard/],
  ['two whole runs', () => [1, 2].map((n) => ({ file: `${n}`, snapshot: snapshot(KEYS) })), /not of a shard/],
  [
    'an app in two shards',
    ([a, b]) => [a!, { ...b!, snapshot: { ...b!.snapshot, apps: a!.snapshot.apps } }],
    /is in both facts-1\.json and facts-2/,
  ],
])('different shards are rejected: %s', (_, choose, message) => {
  expect(() => joinShards(choose(splitIntoShards(snapshot(KEYS), 2)))).toThrow(
    expect.objectContaining({ code: 'shards-mismatch', exit: 2, message: expect.stringMatching(message) }),
  );
});
