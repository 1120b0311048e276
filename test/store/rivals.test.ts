import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { verifiedVersions, buildPublisher, type Ended, seed, start } from './processes.ts';
import { METADATA } from './publisher.ts';
import { leftovers, scratch } from './scratch.ts';

/** Concurrent publishers in separate processes. */

const STORM = Number(process.env['APPREG_STORM'] ?? 1);
const BYTES = 20_000;
let publisher: string;
beforeAll(async () => {
  publisher = await buildPublisher(scratch());
});

test(
  'twelve concurrent publishers with several versions each are all listed, and every intermediate registry is complete',
  { timeout: 60_000 * STORM },
  async () => {
    for (let round = 0; round < 2 * STORM; round++) {
      const root = scratch();
      seed(root);
      const all: string[] = [];
      const running = Array.from({ length: 12 }, (_, who) => {
        const versions = Array.from({ length: 3 }, (_, i) => `${who}.${i}.0`);
        all.push(...versions);
        return start(publisher, { root, versions, bytes: BYTES, padding: 2_000 }).ended;
      });
      const state = { over: false };
      const finished = Promise.all(running).finally(() => (state.over = true));
      let reads = 0;
      let seen: string[] = [];
      while (!state.over) {
        const now = verifiedVersions(root, BYTES);
        expect(now.slice(0, seen.length)).toEqual(seen);
        seen = now;
        reads++;
        await new Promise(setImmediate);
      }
      for (const { code, out } of await finished)
        expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('published') });
      expect(reads).toBeGreaterThan(0);
      expect(verifiedVersions(root, BYTES).sort()).toEqual(all.sort());
      expect(leftovers(root)).toEqual([]);
    }
  },
);

test('several concurrent publishers of the same version all succeed, and it is created and listed once', async () => {
  const root = scratch();
  seed(root);
  const ended = await Promise.all(
    Array.from({ length: 4 }, () => start(publisher, { root, versions: ['1.0.0'], bytes: BYTES }).ended),
  );
  expect(count(ended, 'created ')).toBe(1);
  expect(count(ended, ' edited')).toBe(1);
  expect(count(ended, 'published 1.0.0')).toBe(4);
  expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0']);
});

test('a version that exists with other bytes is refused with both digests, and nothing is written', async () => {
  const root = scratch();
  seed(root);
  await start(publisher, { root, versions: ['1.0.0'], bytes: BYTES }).ended;
  const before = readFileSync(join(root, METADATA));
  const { code, failure } = await start(publisher, { root, versions: ['1.0.0'], bytes: BYTES + 1 }).ended;
  expect(code).toBe(1);
  expect(failure).toMatchObject({
    code: 'immutable',
    message: expect.stringMatching(/sha256:[0-9a-f]{64} .*sha256:[0-9a-f]{64} .*Nothing was changed\.$/),
  });
  expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0']);
  expect(readFileSync(join(root, METADATA))).toEqual(before);
});

function count(ended: Ended[], text: string): number {
  return ended.filter(({ out }) => out.includes(text)).length;
}
