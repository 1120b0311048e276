import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { artifactNotTarGz } from '../../src/core/rules/artifacts/artifact-not-tar-gz.ts';
import { artifactTrailingData } from '../../src/core/rules/artifacts/artifact-trailing-data.ts';
import { artifactUnsafeEntry } from '../../src/core/rules/artifacts/artifact-unsafe-entry.ts';
import { ODDITIES } from '../../src/core/registry/archive-policy.ts';
import type { Content } from '../../src/core/facts/facts.ts';
import { listArchive } from '../support/archives.ts';
import * as tar from '../support/tar-builder.ts';

/** Mutations of a valid archive: reading always ends, and its result is bounded and readable for the rules. */

const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? 2000);
const VALID_ARCHIVE = Buffer.concat([
  tar.pax({ comment: 'c0ffee' }, 'g'),
  tar.entry('./', '', { type: '5' }),
  tar.pax({ path: `${'deep/'.repeat(30)}app.js`, mtime: '1.5', size: '900' }),
  tar.entry('app.js', 'x'.repeat(900)),
  tar.gnuLong('n'.repeat(150)),
  tar.entry('short', 'y', { magic: tar.GNU }),
  tar.entry('last', 'z'.repeat(512)),
  tar.endMark(),
]);

/** A generator of random numbers (mulberry32) with a seed, so that a failure can be reproduced. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function mutate(bytes: Buffer, next: () => number): Buffer {
  let result = Buffer.from(bytes);
  const times = 1 + Math.floor(next() * 4);
  for (let i = 0; i < times && result.length > 0; i += 1) {
    const at = Math.floor(next() * result.length);
    const length = Math.floor(next() * 600);
    switch (Math.floor(next() * 5)) {
      case 0:
        result[at] = Math.floor(next() * 256);
        break;
      case 1:
        result = Buffer.concat([result.subarray(0, at), result.subarray(at + length)]);
        break;
      case 2:
        result = Buffer.concat([result.subarray(0, at), result.subarray(at, at + length), result.subarray(at)]);
        break;
      case 3:
        result = result.subarray(0, at);
        break;
      default:
        result.fill(Math.floor(next() * 256), at, Math.min(at + length, result.length));
    }
  }
  return result;
}

/** Corrects the header checksums, so that the mutated headers are read. */
function withChecksums(bytes: Buffer): Buffer {
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    const block = bytes.subarray(at, at + 512);
    if (block.toString('latin1', 257, 262) !== 'ustar') continue;
    block.fill(' ', 148, 156);
    const sum = block.reduce((all, byte) => all + byte, 0);
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1');
  }
  return bytes;
}

async function checkListing(bytes: Buffer, size: number): Promise<void> {
  const archive = await listArchive(bytes, { size });
  expect(archive.entries.length).toBeLessThanOrEqual(archive.entryCount);
  expect(archive.oddities.length).toBeLessThanOrEqual(10 * Object.keys(ODDITIES).length);
  const content = { bytes: bytes.length, cut: false } as Content;
  const found = [
    artifactNotTarGz.check({ archive, content }),
    artifactTrailingData.check({ archive }),
    artifactUnsafeEntry.check({ archive }),
  ];
  // Facts are plain JSON.
  expect(JSON.parse(JSON.stringify(archive))).toEqual(archive);
  expect(JSON.stringify(found).length).toBeLessThan(10_000);
}

test('the archive without mutations has no faults', async () => {
  const archive = await listArchive(gzipSync(VALID_ARCHIVE));
  expect([archive.fault, archive.oddities, archive.entryCount]).toEqual([null, [], 4]);
});

test('archives with mutated compressed bytes are read within limits', async () => {
  const next = random(1);
  const sound = gzipSync(VALID_ARCHIVE, { level: 1 });
  for (let i = 0; i < ROUNDS; i += 1) await checkListing(mutate(sound, next), 1 + Math.floor(next() * 500));
}, 60_000);

test('archives with mutated tar headers are read within limits', async () => {
  const next = random(2);
  for (let i = 0; i < ROUNDS; i += 1) {
    const mutated = mutate(VALID_ARCHIVE, next);
    await checkListing(gzipSync(i % 2 === 0 ? withChecksums(mutated) : mutated, { level: 1 }), 65_536);
  }
}, 60_000);

test('mutated compressed bytes cause a fault unless the unpacked bytes are the same', async () => {
  const next = random(3);
  const sound = gzipSync(VALID_ARCHIVE, { level: 1 });
  for (let i = 0; i < ROUNDS / 4; i += 1) {
    const at = 10 + Math.floor(next() * (sound.length - 10));
    const mutated = Buffer.from(sound);
    mutated[at]! ^= 1 + Math.floor(next() * 255);
    const archive = await listArchive(mutated);
    if (archive.fault !== null || archive.trailing !== null) continue;
    expect(gunzipSync(mutated)).toEqual(VALID_ARCHIVE);
  }
}, 60_000);
