// Scenario: hundreds of damaged backups are restored.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { verifyBackup } from '../../src/db/backup/restore.ts';
import { type BackupHeader, END_OF_ROWS, jsonLine, newDigest } from '../../src/db/backup/format.ts';
import { folder } from '../../../test/support/folders.ts';

/**
 * Every bit and every length of a small backup. A file that is accepted has the same content: a few bits of a gzip file
 * mean nothing (the time, the system), and a repeated text can be copied from either of two places.
 */

const NEVER = new AbortController().signal;
const HEADER: BackupHeader = {
  format: 'appreg-backup',
  version: 1,
  appreg: '0.1.0',
  createdAt: '2026-01-01T00:00:00.000Z',
  migrations: ['001-baseline'],
  tables: [{ name: 'icons', columns: ['id'] }],
  sequences: [],
};
const CONTENT = contentOf(['1', '2']);

/** A backup, before gzip. */
function contentOf(rows: string[]): Buffer {
  const body = Buffer.concat([jsonLine(HEADER), Buffer.from(rows.map((row) => `${row}\n`).join('')), END_OF_ROWS]);
  const sha256 = newDigest().update(body).digest('hex');
  return Buffer.concat([body, jsonLine({ rows: { icons: rows.length }, sha256 })]);
}

/** The code of the error; or, of an accepted file, whether it has the same content. */
async function resultOf(path: string, bytes: Uint8Array): Promise<string> {
  writeFileSync(path, bytes);
  try {
    await verifyBackup(path, NEVER);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return gunzipSync(bytes).equals(CONTENT) ? 'same content' : 'other content';
}

function withBit(bytes: Uint8Array, at: number, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at]! ^= 1 << bit;
  return changed;
}

test('a backup with a changed bit is refused, or has the same content', async () => {
  const path = join(folder(), 'backup.gz');
  const bytes = gzipSync(CONTENT);
  const places: Record<string, string[]> = {};
  for (let at = 0; at < bytes.length; at += 1)
    for (let bit = 0; bit < 8; bit += 1)
      (places[await resultOf(path, withBit(bytes, at, bit))] ??= []).push(`bit ${bit} of byte ${at}`);
  const { 'backup-unusable': refused = [], 'same content': accepted = [], ...others } = places;
  expect(others).toEqual({});
  // The time in the header of a gzip file.
  expect(accepted).toContain('bit 0 of byte 4');
  expect(refused.length).toBeGreaterThan(accepted.length);
});

test('a backup that ends early is refused, wherever that is', async () => {
  const path = join(folder(), 'backup.gz');
  const bytes = gzipSync(CONTENT);
  expect(await resultOf(path, bytes)).toBe('same content');
  for (let length = 0; length < bytes.length; length += 1)
    expect(await resultOf(path, bytes.subarray(0, length)), `${length} bytes`).toBe('backup-unusable');
});

test.each([
  ['the version of the format', '"version":1'],
  ['the name of a migration', '001-baseline'],
])('a backup with a changed bit in %s is damaged, not newer', async (_, text) => {
  const path = join(folder(), 'backup.gz');
  // Its header is read before its end, and is not compressed.
  const bytes = gzipSync(contentOf(Array.from({ length: 50_000 }, (__, row) => `${row}`)), { level: 0 });
  const lastByte = bytes.indexOf(text) + text.length - 1;
  expect(await resultOf(path, withBit(bytes, lastByte, 1))).toBe('backup-unusable');
});
