import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CamelCasePlugin, type RawBuilder, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { backUp } from '../../../src/db/backup/back-up.ts';
import { restore } from '../../../src/db/backup/restore.ts';
import { withConnection } from '../../../src/db/backup/connection.ts';
import { dump } from '../../../src/db/backup/dump.ts';
import { checkEmpty } from '../../../src/db/backup/load.ts';
import { type Db, openDatabase } from '../../../src/db/database.ts';
import { areFirstMigrations, migrate, MIGRATIONS } from '../../../src/db/migrations/migrate.ts';
import { newDigest } from '../../../src/db/backup/format.ts';
import { tempName } from '../../../../src/store/directory/owner.ts';
import { folder } from '../../../../test/support/folders.ts';
import { startDatabase } from '../../../../test/support/database.ts';
import {
  addApp,
  addIcon,
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../../database-fixture.ts';

/** Backups of a database, and what is restored from them. */

const NEVER = new AbortController().signal;
const FIRST_MIGRATIONS = ['001-baseline'];
const HOSTILE = 'a\\.\n\\.\n\t\r\n\\\\N "ü" \u{1f600}';

let source: TestDatabase;
let file = '';
beforeAll(async () => {
  source = await openTestDatabase();
  await fill(source.db);
  file = join(folder(), 'appreg.gz');
  await backUp({ databaseUrl: source.url, dataFolder: 'unused' }, file, NEVER);
}, 60_000);
afterAll(() => source.stop());

/** Rows with texts that a text format has to escape. */
async function fill(db: Db): Promise<void> {
  const organization = await addOrganization(db, HOSTILE);
  const registry = await addRegistry(db, 'https://apps.example.com/registry.json', {
    report: Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 256)),
    symptoms: JSON.stringify([]),
  });
  await addSubscription(db, organization, registry, { name: '\\.' });
  const icon = await addIcon(db, Buffer.from('<svg/>'), 'image/svg+xml');
  await addApp(db, registry, 'clock', { description: HOSTILE, because: ['a,b', '{"}', ''], icon });
  await addApp(
    db,
    registry,
    '日本',
    { description: '' },
    { '1.0.0': {}, '2.0.0': { state: 'refused', reason: HOSTILE } },
  );
  // A number that is not used again.
  const removed = await addRegistry(db, 'https://removed.example.com/registry.json');
  await db.deleteFrom('registries').where('id', '=', removed).execute();
}

/** All rows of all tables, as text. */
async function contentOf(db: Db): Promise<Record<string, string[]>> {
  const plain = db.withoutPlugins().withPlugin(new CamelCasePlugin());
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_name not like 'kysely%'`.execute(plain);
  const content: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(plain);
    content[name] = rows.map(({ row }) => row).toSorted();
  }
  return content;
}

/** Restores a file into a new database, which the end of the test drops. */
async function restored(path: string): Promise<{ db: Db; url: string }> {
  const { url, stop } = await startDatabase();
  onTestFinished(stop);
  await restore({ databaseUrl: url, dataFolder: 'unused' }, path, NEVER);
  const { db } = openDatabase(url, 2, () => {});
  onTestFinished(() => db.destroy());
  return { db, url };
}

/** A file with changed bytes of the backup, compressed again. */
function changed(change: (text: Buffer) => Buffer): string {
  const path = join(folder(), 'changed.gz');
  writeFileSync(path, gzipSync(change(gunzipSync(readFileSync(file)))));
  return path;
}

/** The backup with another header, and the checksum that belongs to it. */
function withHeader(change: (header: Record<string, unknown>) => Record<string, unknown>): string {
  return changed((content) => {
    const text = content.toString('latin1');
    const end = text.indexOf('\n') + 1;
    const header = `${JSON.stringify(change(JSON.parse(text.slice(0, end)) as Record<string, unknown>))}\n`;
    const lastLine = text.lastIndexOf('\n', text.length - 2) + 1;
    const body = Buffer.from(header + text.slice(end, lastLine), 'latin1');
    const trailer = { ...(JSON.parse(text.slice(lastLine)) as object), sha256: newDigest().update(body).digest('hex') };
    return Buffer.concat([body, Buffer.from(`${JSON.stringify(trailer)}\n`)]);
  });
}

describe('a backup', () => {
  test('restores every row of every table, and the next numbers', async () => {
    const copy = await restored(file);
    expect(await contentOf(copy.db)).toEqual(await contentOf(source.db));
    expect((await contentOf(copy.db))['apps']).toHaveLength(2);
    expect(await addRegistry(copy.db, 'https://new.example.com/registry.json')).toBe(3);
    await migrate(copy.db);
  });

  test('of a database with fewer migrations restores that state, which is then migrated', async () => {
    const copy = await withMigration('002-notes', sql`CREATE TABLE notes (text text)`, async () => {
      const { db } = await restored(file);
      expect(await sql`SELECT to_regclass('notes') AS notes`.execute(db)).toMatchObject({ rows: [{ notes: null }] });
      await migrate(db);
      return { db };
    });
    expect((await sql`SELECT * FROM notes`.execute(copy.db)).rows).toEqual([]);
    expect(await copy.db.selectFrom('registries').select('url').execute()).toHaveLength(1);
    await expect(migrate(copy.db)).rejects.toMatchObject({ code: 'database-schema-newer' });
  });

  test('contains the state of one moment, whatever is written while it is made', async () => {
    const before = await source.db.selectFrom('organizations').selectAll().execute();
    const pieces: Buffer[] = [];
    await withConnection(source.url, NEVER, async (client) => {
      for await (const piece of dump(client, new Date(), () => {})) {
        if (pieces.length === 0) {
          const late = await addOrganization(source.db, 'Too late');
          onTestFinished(
            async () => void (await source.db.deleteFrom('organizations').where('id', '=', late).execute()),
          );
        }
        pieces.push(piece);
      }
    });
    const text = Buffer.concat(pieces).toString();
    expect(text).not.toContain('Too late');
    for (const { id } of before) expect(text).toContain(id);
  });

  test('is readable by its owner only, replaces an older one, and leaves no other file', async () => {
    const place = folder({ 'appreg.gz': 'older' });
    const path = join(place, 'appreg.gz');
    const { bytes } = await backUp({ databaseUrl: source.url, dataFolder: 'unused' }, path, NEVER);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(path).size).toBe(bytes);
    expect(readdirSync(place)).toEqual(['appreg.gz']);
  });

  test('that is interrupted leaves the older file as it was', async () => {
    const place = folder({ 'appreg.gz': 'older' });
    const path = join(place, 'appreg.gz');
    const interrupt = new AbortController();
    const running = backUp({ databaseUrl: source.url, dataFolder: 'unused' }, path, interrupt.signal);
    await expect.poll(() => readdirSync(place), { interval: 1 }).toHaveLength(2);
    interrupt.abort();
    await expect(running).rejects.toThrow();
    expect(readdirSync(place)).toEqual(['appreg.gz']);
    expect(readFileSync(path, 'utf8')).toBe('older');
  });

  test('what a killed backup left is removed by the next one, and the file of a running one is kept', async () => {
    const place = folder();
    const running = tempName('appreg.gz');
    const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
    const left = tempName('appreg.gz').replace(`-${process.pid}-`, `-${gone}-`);
    for (const name of [running, left, '.appreg.gz.1234.tmp']) writeFileSync(join(place, name), 'x');
    await backUp({ databaseUrl: source.url, dataFolder: 'unused' }, join(place, 'appreg.gz'), NEVER);
    expect(readdirSync(place).toSorted()).toEqual(['.appreg.gz.1234.tmp', running, 'appreg.gz'].toSorted());
  });

  test('ends with an error if PostgreSQL closes the connection', async () => {
    const reading = withConnection(source.url, NEVER, async (client) => {
      for await (const _ of dump(client, new Date(), () => {}))
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'appreg backup'`.execute(source.db);
    });
    await expect(reading).rejects.toMatchObject({ code: 'database-unreachable' });
  });

  test.each([['in a folder that does not exist', 'missing/appreg.gz', 'its folder does not exist']])(
    'is refused %s',
    async (_, name, reason) => {
      const path = join(folder(), name);
      const refused = backUp({ databaseUrl: source.url, dataFolder: 'unused' }, path, NEVER);
      await expect(refused).rejects.toMatchObject({
        code: 'backup-not-written',
        message: expect.stringContaining(reason),
      });
    },
  );

  test('is refused with the name of a folder', async () => {
    const path = folder();
    await expect(backUp({ databaseUrl: source.url, dataFolder: 'unused' }, path, NEVER)).rejects.toMatchObject({
      code: 'backup-not-written',
      summary: `${path} is a folder.`,
      hint: `Give the name of a file, such as ${join(path, 'appreg-backup.gz')}.`,
    });
  });

  test('of an empty database or a folder without a database is refused', async () => {
    const empty = await startDatabase();
    onTestFinished(empty.stop);
    const path = join(folder(), 'appreg.gz');
    const refused = { code: 'database-missing' };
    await expect(backUp({ databaseUrl: empty.url, dataFolder: 'unused' }, path, NEVER)).rejects.toMatchObject(refused);
    await expect(backUp({ databaseUrl: null, dataFolder: folder() }, path, NEVER)).rejects.toMatchObject(refused);
    expect(existsSync(path)).toBe(false);
  });
});

describe('a restore', () => {
  let target: { url: string; stop(): Promise<void> };
  beforeEach(async () => {
    target = await startDatabase();
  });
  afterEach(() => target.stop());
  async function isLoading(): Promise<boolean> {
    const database = new URL(target.url).pathname.slice(1);
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = ${database} and application_name = 'appreg backup' and query ilike 'copy%'`.execute(source.db);
    return rows.length > 0;
  }
  const isEmpty = (): Promise<void> => withConnection(target.url, NEVER, checkEmpty);
  const attempt = (path: string) => restore({ databaseUrl: target.url, dataFolder: 'unused' }, path, NEVER);

  test.each<[string, (bytes: Buffer) => Uint8Array]>([
    ['ends early', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['has another checksum', (bytes) => bytes.fill(bytes.at(-8)! ^ 0x10, bytes.length - 8, bytes.length - 7)],
    ['continues after its end', (bytes) => Buffer.concat([bytes, Buffer.from('more')])],
  ])('refuses a file that %s', async (_, change) => {
    const path = join(folder(), 'damaged.gz');
    writeFileSync(path, change(readFileSync(file)));
    await expect(attempt(path)).rejects.toMatchObject({ code: 'backup-unusable' });
    await isEmpty();
  });

  test.each<[string, () => string, string]>([
    [
      'without its last line',
      () => changed((text) => text.subarray(0, text.lastIndexOf('\n', text.length - 2) + 1)),
      'is truncated',
    ],
    [
      'with another row',
      () => changed((text) => Buffer.from(text.toString('latin1').replace('\n\\.\n', '\nx\n\\.\n'), 'latin1')),
      'checksum',
    ],
    [
      'with content after its end',
      () => changed((text) => Buffer.concat([text, Buffer.from('x')])),
      'contains data after its end',
    ],
    [
      'that is not gzip',
      () => join(folder({ 'a.gz': 'PGDMP and more than twenty bytes' }), 'a.gz'),
      'not an appreg backup',
    ],
    ['that is another gzip file', () => changed(() => Buffer.from('create table x ();\n')), 'not an appreg backup'],
    ['that is empty', () => join(folder({ 'a.gz': '' }), 'a.gz'), 'not an appreg backup'],
    ['that does not exist', () => join(folder(), 'a.gz'), 'does not exist'],
  ])('refuses a file %s', async (_, make, reason) => {
    await expect(attempt(make())).rejects.toMatchObject({
      code: 'backup-unusable',
      message: expect.stringContaining(reason),
    });
    await isEmpty();
  });

  test.each<[string, (header: Record<string, unknown>) => Record<string, unknown>]>([
    ['a migration that is not known', (header) => ({ ...header, migrations: [...FIRST_MIGRATIONS, '999-later'] })],
    ['a later format', (header) => ({ ...header, version: 2 })],
  ])('refuses a backup with %s', async (_, change) => {
    await expect(attempt(withHeader(change))).rejects.toMatchObject({ code: 'backup-newer' });
    await isEmpty();
  });

  test('that fails while rows are written leaves the database empty', async () => {
    const path = withHeader((header) => ({
      ...header,
      tables: (header['tables'] as { name: string; columns: string[] }[]).map((table) =>
        table.name === 'versions' ? { ...table, columns: table.columns.map((name) => `${name}_x`) } : table,
      ),
    }));
    await expect(attempt(path)).rejects.toThrow(/column/);
    await isEmpty();
  });

  test('that is interrupted leaves the database empty, and can be repeated', async () => {
    const interrupt = new AbortController();
    const running = restore({ databaseUrl: target.url, dataFolder: 'unused' }, file, interrupt.signal);
    await expect.poll(isLoading, { interval: 1 }).toBe(true);
    interrupt.abort();
    await expect(running).rejects.toThrow();
    await isEmpty();
    await attempt(file);
    await expect(attempt(file)).rejects.toMatchObject({
      code: 'restore-target-not-empty',
      message: expect.stringMatching(
        /^The database to restore into is not empty: it already has [\d,]+ organizations? and [\d,]+ registr(y|ies) of a service of appreg\. Nothing was changed\.$/,
      ),
    });
  });

  test('takes a database whose tables were dropped', async () => {
    const { db, url } = await restored(file);
    const { rows } = await sql<{ tables: string }>`SELECT string_agg(quote_ident(relname), ', ') AS tables
      FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`.execute(db);
    await sql`DROP TABLE ${sql.raw(rows[0]!.tables)}`.execute(db);
    await restore({ databaseUrl: url, dataFolder: 'unused' }, file, NEVER);
    expect(await contentOf(db)).toEqual(await contentOf(source.db));
  });

  test('refuses a data folder that contains anything', async () => {
    const place = folder({ 'notes.txt': 'mine' });
    await expect(restore({ databaseUrl: null, dataFolder: place }, file, NEVER)).rejects.toMatchObject({
      code: 'restore-target-not-empty',
      message: expect.stringContaining('notes.txt'),
    });
    expect(readdirSync(place)).toEqual(['notes.txt']);
  });
});

test('only the first migrations, without a gap, can be restored', async () => {
  await withMigration('002-notes', sql`CREATE TABLE notes (text text)`, async () => {
    expect(areFirstMigrations(FIRST_MIGRATIONS)).toBe(true);
    expect(areFirstMigrations([...FIRST_MIGRATIONS, '002-notes'])).toBe(true);
    expect(areFirstMigrations([])).toBe(false);
    expect(areFirstMigrations(['002-notes'])).toBe(false);
    expect(areFirstMigrations([...FIRST_MIGRATIONS, '999-later'])).toBe(false);
  });
});

/** Runs `work` with a further migration. */
async function withMigration<Result>(
  name: string,
  statement: RawBuilder<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  MIGRATIONS[name] = { up: async (db) => void (await statement.execute(db)) };
  try {
    return await work();
  } finally {
    delete MIGRATIONS[name];
  }
}
