import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backUp } from '../../src/db/backup/back-up.ts';
import { restore } from '../../src/db/backup/restore.ts';
import { withConnection } from '../../src/db/backup/connection.ts';
import { newDigest } from '../../src/db/backup/format.ts';
import { checkEmpty } from '../../src/db/backup/load.ts';
import { startDatabase } from '../../../test/support/database.ts';
import { folder } from '../../../test/support/folders.ts';
import { addOrganization, addRegistry, addSubscription, openTestDatabase } from '../database-fixture.ts';

/** Backups whose checksum is right, and whose content is not: refused for its reason, with nothing restored. */

const NEVER = new AbortController().signal;

let lines: string[] = [];
let target: { url: string; stop(): Promise<void> };
beforeAll(async () => {
  const source = await openTestDatabase();
  const registry = await addRegistry(source.db, 'https://apps.example.com/registry.json');
  await addSubscription(source.db, await addOrganization(source.db), registry);
  const file = join(folder(), 'appreg.gz');
  await backUp({ databaseUrl: source.url, dataFolder: 'unused' }, file, NEVER);
  await source.stop();
  lines = gunzipSync(readFileSync(file)).toString('latin1').split('\n');
  target = await startDatabase();
}, 60_000);
afterAll(() => target.stop());

/** Restores a backup of these lines, with the checksum that belongs to them. */
async function attempt(content: readonly string[], { url } = target): Promise<unknown> {
  const body = Buffer.from(`${content.slice(0, -2).join('\n')}\n`, 'latin1');
  const trailer = { ...(JSON.parse(content.at(-2)!) as object), sha256: newDigest().update(body).digest('hex') };
  const path = join(folder(), 'appreg.gz');
  writeFileSync(path, gzipSync(Buffer.concat([body, Buffer.from(`${JSON.stringify(trailer)}\n`)])));
  return restore({ databaseUrl: url, dataFolder: 'unused' }, path, NEVER);
}

/** The backup with another first row of a table. */
function withRow(table: string, change: (row: string) => string): string[] {
  const { tables } = JSON.parse(lines[0]!) as { tables: { name: string }[] };
  const position = tables.findIndex(({ name }) => name === table);
  const ends = lines.flatMap((line, index) => (line === '\\.' ? [index] : []));
  return lines.with(ends[position - 1]! + 1, change(lines[ends[position - 1]! + 1]!));
}

function nested(depth: number): string {
  return `{"more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
}

const json = (text: string) => (row: string) => row.replace(/\{[^\t\n]*\}/, text);

test.each<[string, () => string[], string]>([
  [
    'values of another type',
    () => withRow('events', (row) => row.replace(/^[^\t]+/, 'x')),
    'the rows of the table events do not fit: invalid input syntax',
  ],
  [
    'a row of another organization',
    () => withRow('subscriptions', (row) => row.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}/g, '00000000-0000-4000-8000')),
    'the rows of the table subscriptions do not fit: insert or update on table',
  ],
  [
    'JSON that is nested deep',
    () => withRow('events', json(nested(66))),
    'a value of events.data is nested more than 64 levels deep',
  ],
  [
    'JSON that PostgreSQL cannot read for its depth',
    () => withRow('events', json('['.repeat(1_000_000))),
    'the rows of the table events do not fit: stack depth limit exceeded',
  ],
  [
    'a column that the table does not have',
    () => lines.with(0, lines[0]!.replace('"columns":["', '"columns":["missing_')),
    'do not fit: column "missing_',
  ],
  ['a header that is an array', () => ['['.repeat(100_000) + ']'.repeat(100_000), ...lines], 'not an appreg backup'],
  [
    'a header that is nested deep',
    () => lines.with(0, `${lines[0]!.slice(0, -1)},"more":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    'not an appreg backup',
  ],
])('a backup with %s is refused', async (_, make, reason) => {
  await expect(attempt(make())).rejects.toMatchObject({
    code: 'backup-unusable',
    exit: 2,
    message: expect.stringContaining(reason),
  });
  await withConnection(target.url, NEVER, checkEmpty);
});

test('a backup with JSON that is nested 64 levels deep is restored', async () => {
  const other = await startDatabase();
  await attempt(withRow('events', json(nested(64))), other);
  await other.stop();
});
