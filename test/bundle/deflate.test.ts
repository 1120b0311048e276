import { deflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openPako, type Slice, testDigest } from '../../src/bundle/deflate.ts';
import { runs } from '../support/property-runs.ts';

/** As nodejs.org's programs compress the test data; pako has to do the same, on any machine. */
const EXPECTED = '06ffae4d68e781ff4c8b5dba8417292e6bd30df4aa1dfbc1d7d211d290989dc3';

/** A slice as the zlib of this process compresses it, with other settings. */
function native(other: object = {}): (slice: Slice) => Promise<Uint8Array> {
  return async ({ bytes, level, dictionary, isLast }) =>
    deflateRawSync(bytes, { level, memLevel: 8, dictionary, finishFlush: isLast ? 4 : 2, ...other });
}

test('pako compresses the test data as the programs of nodejs.org do', async () => {
  expect(await testDigest(await openPako())).toBe(EXPECTED);
});

test.each<[string, object]>([
  ['level', { level: 8 }],
  ['memory for symbols', { memLevel: 9 }],
  ['window', { windowBits: 14 }],
  ['strategy', { strategy: 1 }],
])('the test data shows a compressor with another %s', async (_, other) => {
  expect(await testDigest(native(other))).not.toBe(await testDigest(native()));
});

const WORDS = ['const ', 'await ', 'function ', '(x) => ', '\n  ', '"', '{', 'registry', '\0\0\0\0', 'é'];
const code = fc
  .array(fc.oneof(fc.constantFrom(...WORDS), fc.nat().map(String), fc.string()), { maxLength: 400 })
  .map((words) => Buffer.from(words.join('')));
const noise = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes));
const data = fc
  .array(fc.tuple(fc.oneof(code, noise), fc.integer({ min: 1, max: 40 })), { maxLength: 8 })
  .map((parts) => Buffer.concat(parts.flatMap(([part, times]) => Array<Buffer>(times).fill(part))).subarray(0, 131072));

describe('any slice', async () => {
  const isOfficial = (await testDigest(native())) === EXPECTED;

  test.skipIf(!isOfficial)('has the same bytes by pako and by a Node.js from nodejs.org', async () => {
    const deflate = await openPako();
    const slice = fc.record({
      bytes: data,
      dictionary: data.map((bytes) => bytes.subarray(-32768)),
      level: fc.constantFrom(7, 9),
      isLast: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(slice, async (given) => {
        expect(Buffer.compare(await deflate(given), await native()(given))).toBe(0);
      }),
      { numRuns: runs(300) },
    );
  });

  // At the end of a buffer, a flush is repeated if its marker does not fit.
  test.skipIf(!isOfficial)('has the same bytes where its compressed form ends at the end of a buffer', async () => {
    const deflate = await openPako();
    const bytes = Buffer.alloc(65600);
    for (let at = 0, state = 1; at < bytes.length; at++) bytes[at] = (state = (state * 48271) % 2147483647) >> 8;
    for (let size = 65500; size < 65545; size++) {
      const slice = { bytes: bytes.subarray(0, size), level: 7, dictionary: Buffer.alloc(0), isLast: false };
      const compressed = await native({ chunkSize: 65536 })(slice);
      expect(Buffer.compare(await deflate(slice), compressed), `${size}`).toBe(0);
    }
  });
});
