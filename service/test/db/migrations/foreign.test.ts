import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkEmpty } from '../../../src/db/backup/load.ts';
import { withConnection } from '../../../src/db/backup/connection.ts';
import { dump } from '../../../src/db/backup/dump.ts';
import { openDatabase, type Db } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrations/migrate.ts';
import { startDatabase } from '../../../../test/support/database.ts';

/** Databases of other programs: they are named in words, never changed. */

let url: string;
let db: Db;
let stop: () => Promise<void>;
beforeEach(async () => {
  ({ url, stop } = await startDatabase());
  ({ db } = openDatabase(url, 2, () => {}));
});
afterEach(async () => {
  await db.destroy();
  await stop();
});

const use = <T>(work: (client: Client) => Promise<T>) => withConnection(url, new AbortController().signal, work);

test.each([
  ['with a table of the same name', 'CREATE TABLE organizations (id int); CREATE TABLE notes (id int)'],
  [
    'that the same library has migrated',
    `CREATE TABLE kysely_migration (name text, timestamp text); INSERT INTO kysely_migration VALUES ('001-notes', '')`,
  ],
])('a database %s is refused', async (_, statements) => {
  await use((client) => client.query(statements));
  await expect(migrate(db)).rejects.toMatchObject({
    code: 'database-foreign',
    message: expect.stringMatching(/^The database has tables of another program: \w/) as string,
  });
  await expect(use(checkEmpty)).rejects.toThrow(/^The database to restore into is not empty: it has tables of another/);
  await expect(
    use(async (client) => {
      for await (const part of dump(client, new Date(), () => {})) void part;
    }),
  ).rejects.toMatchObject({ code: 'database-missing' });
});

test('a database with other tables can be shared', async () => {
  await sql`CREATE TABLE notes (id int)`.execute(db);
  await migrate(db);
  await expect(use(checkEmpty)).rejects.toThrow(
    'The database to restore into is not empty: it already has the tables of a service of appreg, without organizations.',
  );
  await migrate(db);
});
