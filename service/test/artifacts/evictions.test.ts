import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evictionsFor, evictionsToLimit, storeFigures } from '../../src/artifacts/evictions.ts';
import { type StoredFile } from '../../src/db/artifacts.ts';
import { runs } from '../../../test/support/property-runs.ts';

/** What is dropped, over any history of fetches by several organizations and losses at hosts. */

let number = 0;
const file = (bytes: number, owners: string[], more: Partial<StoredFile> = {}): StoredFile => ({
  sha256: `f${(number += 1)}`,
  bytes,
  owners,
  usedAt: number,
  stored: true,
  offered: true,
  last: false,
  ...more,
});
const incoming = (bytes: number, owners: string[], mayDropOffered = true) => ({
  sha256: `f${(number += 1)}`,
  bytes,
  owners,
  mayDropOffered,
});
const last = { last: true };
const dropped = (files: StoredFile[], limit: number, one: ReturnType<typeof incoming>) => {
  const { drop, fits } = evictionsFor(files, limit, one);
  return fits ? drop.map(({ sha256 }) => files.findIndex((other) => other.sha256 === sha256)) : 'no room';
};

describe('room is made', () => {
  test.each<{ name: string; files: StoredFile[]; one: ReturnType<typeof incoming>; drops: number[] | 'no room' }>([
    { name: 'by nothing if there is some', files: [file(50, ['a'])], one: incoming(50, ['b']), drops: [] },
    {
      name: 'by what no version offers, before anything else',
      files: [file(50, ['b']), file(50, ['a'], { offered: false })],
      one: incoming(50, ['b']),
      drops: [1],
    },
    {
      name: 'by what belongs to no organization, a last copy last',
      files: [file(40, [], last), file(40, []), file(20, ['a'])],
      one: incoming(40, ['a']),
      drops: [1],
    },
    {
      name: 'by the organization that uses most, what was not used for the longest time',
      files: [file(20, ['a']), file(40, ['b']), file(40, ['b'])],
      one: incoming(20, ['a']),
      drops: [1],
    },
    {
      name: 'by the own files of an organization that exceeds its share',
      files: [file(40, ['a']), file(30, ['b']), file(30, ['b'])],
      one: incoming(30, ['b']),
      drops: [1],
    },
    {
      name: 'never by a last copy of another organization',
      files: [file(100, ['a'], last)],
      one: incoming(10, ['b']),
      drops: 'no room',
    },
    {
      name: 'never by a last copy within the share',
      files: [file(40, ['a'], last), file(60, ['b'], last)],
      one: incoming(10, ['a']),
      drops: 'no room',
    },
    {
      name: 'by own last copies, if these alone exceed the share',
      files: [file(30, ['a'], last), file(30, ['a'], last), file(40, ['b'], last)],
      one: incoming(10, ['a']),
      drops: [0],
    },
    {
      name: 'never by a last copy that is shared with another organization',
      files: [file(60, ['a', 'b'], last), file(40, ['a'], last)],
      one: incoming(10, ['b']),
      drops: 'no room',
    },
    {
      name: 'never by a file that is being written',
      files: [file(100, ['a'], { stored: false })],
      one: incoming(10, ['a']),
      drops: 'no room',
    },
    {
      name: 'never by what is offered, if nobody waits for the file',
      files: [file(100, ['a'])],
      one: incoming(10, ['a'], false),
      drops: 'no room',
    },
  ])('$name', ({ files, one, drops }) => {
    expect(dropped(files, 100, one)).toEqual(drops);
  });

  test('after the limit was lowered: last copies within the share stay', () => {
    const files = [file(40, ['a'], last), file(20, ['a']), file(20, ['b'], last), file(10, ['b'], { offered: false })];
    const { drop, fits } = evictionsToLimit(files, 50);
    expect([drop.map(({ bytes }) => bytes).toSorted(), fits]).toEqual([[10, 20, 40].toSorted(), true]);
  });

  test('figures count the last copies at risk', () => {
    const files = [file(60, ['a'], last), file(20, ['b'], last), file(10, ['b'])];
    expect(storeFigures(files, 100)).toMatchObject({
      lastCopies: 2,
      lastCopyBytes: 80,
      lastCopiesAtRisk: 1,
      bytes: 90,
    });
  });
});

const ORGANIZATIONS = ['a', 'b', 'c'];
const owners = fc.subarray(ORGANIZATIONS, { minLength: 1 });
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('fetch' as const),
      bytes: fc.integer({ min: 1, max: 60 }),
      owners,
      wanted: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('lose' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('use' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), limit: fc.integer({ min: 60, max: 200 }) }) },
);

/** The bytes of the last copies that an organization is charged for. */
const lastBytes = (files: readonly StoredFile[], owner: string) =>
  files
    .filter((one) => one.last && one.offered && one.owners.includes(owner))
    .reduce((sum, one) => sum + one.bytes / one.owners.length, 0);

test('a last copy of an organization within its share is never dropped, and the total stays below the limit', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let files: StoredFile[] = [];
      let limit = 100;
      for (const one of steps) {
        const before = files;
        let by: readonly string[] = [];
        let drop: readonly StoredFile[] = [];
        if (one.do === 'fetch') {
          const next = file(one.bytes, one.owners);
          by = one.owners;
          const room = evictionsFor(files, limit, { ...next, mayDropOffered: one.wanted });
          if (!room.fits) expect(room.drop).toEqual([]);
          drop = room.drop;
          files = [...files.filter((other) => !drop.includes(other)), ...(room.fits ? [next] : [])];
        } else if (one.do === 'limit') {
          limit = one.limit;
          ({ drop } = evictionsToLimit(files, limit));
          files = files.filter((other) => !drop.includes(other));
        } else if (files.length > 0) {
          const at = one.at % files.length;
          const change = { lose: { last: true }, withdraw: { offered: false }, use: { usedAt: (number += 1) } }[one.do];
          files = files.map((other, index) => (index === at ? { ...other, ...change } : other));
        }
        const share = limit / new Set([...by, ...before.flatMap((other) => other.owners)]).size;
        for (const copy of drop.filter((other) => other.last && other.offered)) {
          if (one.do === 'fetch') expect(copy.owners.every((owner) => by.includes(owner))).toBe(true);
          for (const owner of copy.owners) expect(lastBytes(before, owner)).toBeGreaterThan(share - 0.01);
        }
        const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
        const isOnlyLast = files.every((other) => other.last && other.offered);
        if (!isOnlyLast) expect(total).toBeLessThanOrEqual(limit);
      }
    }),
    { numRuns: runs(10_000) },
  );
});
