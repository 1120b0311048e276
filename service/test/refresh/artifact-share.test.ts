import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { compareValidators, mergeValidators } from '../../src/domain/validators.ts';
import { type Validators } from '../../src/domain/version.ts';
import { type Behaviour, CORS, type FaultHost, openFaultHost, tagged } from '../../../test/support/fault-host.ts';
import { serveEqualVersions } from '../../../test/support/equal-versions.ts';
import { archive, gzipped } from '../../../test/support/live-registry.ts';
import { type RefreshHarness, openRefreshHarness } from './refresh-harness.ts';

/** The share of artifacts that each hourly refresh asks for: all of them within a day. */

const HOUR = 3_600_000;
const ONE = archive('one');
const GZIP = { 'Content-Type': 'application/gzip', ...CORS };

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
});
afterEach(() => host.close());

async function verified(count: number, artifact: Behaviour = tagged(ONE, GZIP)): Promise<number> {
  const id = await harness.add(serveEqualVersions(host, ONE, artifact, count));
  expect(await harness.refresh(id)).toBe('good');
  return id;
}

/** Refreshes at these hours, and returns when each artifact was requested, and how many by each refresh. */
async function refreshAt(
  id: number,
  hours: readonly number[],
): Promise<{ times: Map<string, number[]>; counts: number[] }> {
  const times = new Map<string, number[]>();
  const counts: number[] = [];
  for (const hour of hours) {
    host.requests.length = 0;
    expect(await harness.refresh(id, hour)).toMatch(/^(good|problems|unfinished)$/);
    const paths = new Set(host.requests.map(({ path }) => path).filter((path) => path.endsWith('.tar.gz')));
    counts.push(paths.size);
    for (const path of paths) times.set(path, [...(times.get(path) ?? [0]), hour]);
  }
  return { times, counts };
}

/** The longest time in hours that an artifact was not requested. */
function longestGap(times: ReadonlyMap<string, readonly number[]>): number {
  return Math.max(...[...times.values()].flatMap((hours) => hours.slice(1).map((hour, i) => hour - hours[i]!)));
}

const hourly = (count: number, interval = 1): number[] =>
  Array.from({ length: count }, (_, i) => (i + 1) * interval * 1.04);

describe('each artifact is requested at least once a day', () => {
  test('in equal shares', async () => {
    const id = await verified(48);
    const { times, counts } = await refreshAt(id, hourly(50));
    expect(times.size).toBe(48);
    expect(longestGap(times)).toBeLessThanOrEqual(24);
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
  }, 60_000);

  test('if there are fewer than refreshes in a day', async () => {
    const id = await verified(3);
    const { times } = await refreshAt(id, hourly(48));
    expect(times.size).toBe(3);
    expect(longestGap(times)).toBeLessThanOrEqual(24);
  }, 60_000);

  test('if refreshes are missed', async () => {
    const id = await verified(24);
    const hours = [1.1, 2.2, 20, 21, 22.1, 23.2, 24.3, 40, 41.1, 44, 47.5];
    const { times } = await refreshAt(id, hours);
    expect(times.size).toBe(24);
    for (const now of hours)
      for (const requested of times.values())
        expect(now - requested.findLast((time) => time <= now)!).toBeLessThanOrEqual(23);
  }, 60_000);

  test.each([0.1, 6, 24, 48])(
    'with an interval of %d hours',
    async (interval) => {
      const { settings } = harness.context;
      harness.context.settings = { ...settings, interval: interval * HOUR };
      try {
        const id = await verified(6);
        const count = interval < 1 ? 260 : 6;
        const { times } = await refreshAt(id, hourly(count, interval));
        expect(times.size).toBe(6);
        expect(longestGap(times)).toBeLessThanOrEqual(Math.max(24, interval * 1.05));
      } finally {
        harness.context.settings = settings;
      }
    },
    60_000,
  );

  test('by a download if the host sends no validators', async () => {
    const id = await verified(3, gzipped(ONE));
    const { counts } = await refreshAt(id, hourly(24));
    expect(counts.filter((count) => count > 0)).toEqual([3]);
    host.on('/1.tar.gz', gzipped(archive('two')));
    await refreshAt(id, hourly(48).slice(24));
    const rows = await harness.db
      .selectFrom('versions')
      .where('registryId', '=', id)
      .orderBy('version')
      .selectAll()
      .execute();
    expect(rows.map(({ state }) => state)).toEqual(['verified', 'refused', 'verified']);
  }, 60_000);
});

test('what exceeds the limit of a refresh is requested by the next ones, soon after', async () => {
  const { settings } = harness.context;
  const id = await verified(25);
  harness.context.settings = { ...settings, limits: { ...settings.limits, artifactChecks: 10 } };
  try {
    const counts: number[] = [];
    await harness.db.updateTable('registries').set({ artifactsRequestedAt: new Date() }).where('id', '=', id).execute();
    for (const hours of [1.1, 1.2, 1.3, 2.5]) counts.push(...(await refreshAt(id, [hours])).counts);
    expect(counts).toEqual([10, 10, 5, 1]);
  } finally {
    harness.context.settings = settings;
  }
}, 30_000);

const some = (etag: string | null, lastModified: string | null, length: number | null): Validators => ({
  etag,
  lastModified,
  length,
});

describe('validators', () => {
  const known = [some('"a"', 'Mon', 5)];
  test.each<[string, readonly Validators[], Validators | null, string]>([
    ['the same', known, some('"a"', 'Mon', 5), 'same'],
    ['a weak tag', known, some('W/"a"', null, null), 'same'],
    ['another tag', known, some('"b"', 'Mon', 5), 'different'],
    ['another length', known, some('"a"', 'Mon', 6), 'different'],
    ['the same tag at another time', known, some('"a"', 'Tue', 5), 'same'],
    ['another time without a tag', known, some(null, 'Tue', 5), 'different'],
    ['only the length', known, some(null, null, 5), 'same-length'],
    ['only another length', known, some(null, null, 6), 'different'],
    ['nothing', known, null, 'incomparable'],
    ['nothing known', [], some('"a"', null, 5), 'incomparable'],
    ['a tag that was not sent before', [some(null, 'Mon', null)], some('"a"', null, null), 'incomparable'],
    ['one of several', [...known, some('"b"', null, 5)], some('"b"', null, 5), 'same'],
    ['another tag, where HEAD had none', [...known, some(null, null, 5)], some('"c"', null, 5), 'different'],
    ['HEAD without a tag, as before', [...known, some(null, null, 0)], some(null, null, 0), 'same-length'],
  ])('%s', (_, before, now, result) => expect(compareValidators(before, now)).toBe(result));

  test('of the latest responses are kept', () => {
    const tags = ['"1"', '"2"', '"3"', '"4"', '"5"', '"3"'].map((tag) => some(tag, null, 1));
    const merged = tags.reduce<Validators[] | null>((all, one) => mergeValidators(all, [one]), null);
    expect(merged?.map(({ etag }) => etag)).toEqual(['"2"', '"3"', '"4"', '"5"']);
    expect(mergeValidators(null, [null])).toBeNull();
  });
});
