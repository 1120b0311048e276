import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BACKUP_TABLES } from '../../../src/db/backup/format.ts';
import { openTestDatabase, type TestDatabase } from '../../database-fixture.ts';

/** Rows of this table are never committed. */
const NEVER_FILLED = 'write_probe';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);
afterAll(() => database.stop());

test('a backup has every table that the migrations create, but that of jobs', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(
    database.db,
  );
  const left = ['refresh_jobs', NEVER_FILLED];
  const names = rows.map(({ name }) => name).filter((name) => !name.startsWith('kysely_') && !left.includes(name));
  expect([...BACKUP_TABLES].toSorted()).toEqual(names.toSorted());
});
