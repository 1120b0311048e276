import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { AppregError } from '../../../core/errors.ts';
import { printable } from '../../../core/text/text.ts';
import { areFirstMigrations, migrateEmpty } from '../migrations/migrate.ts';
import { queriesOn, quoted } from './backup-connection.ts';
import { type BackupHeader, type BackupTrailer, damagedBackup } from './backup-format.ts';
import type { BackupReader } from './backup-reader.ts';

/** @throws AppregError `backup-newer` if this appreg does not have all migrations of the backup */
export function checkSchema({ migrations, appreg }: BackupHeader): void {
  if (areFirstMigrations(migrations)) return;
  throw new AppregError(
    'backup-newer',
    `The backup was made by another version of appreg (${printable(appreg)}), with tables that this version does not have.`,
    'Restore it with the version of appreg that made it, or a later one.',
    { effect: 'none' },
  );
}

/** @throws AppregError `restore-target-not-empty` unless the database has no tables */
export async function checkEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT nspname || '.' || relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND nspname IN (current_schema(), 'pgboss')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
     ORDER BY 1 LIMIT 1`,
  );
  for (const { name } of rows)
    throw new AppregError(
      'restore-target-not-empty',
      `The database to restore into is not empty: it contains ${name}.`,
      'Restore into a new database (createdb), or use --data with a new folder.',
      { effect: 'none' },
    );
}

/**
 * Writes a backup into an empty database, in one transaction: all of it or nothing. The tables are those of the backup;
 * the service migrates them at its next start.
 * @throws AppregError `restore-target-not-empty`, `backup-newer`, `backup-unusable`
 */
export async function load(client: Client, backup: BackupReader, signal: AbortSignal): Promise<BackupTrailer> {
  const { header } = backup;
  checkSchema(header);
  await client.query('BEGIN');
  await checkEmpty(client);
  await migrateEmpty(queriesOn(client), header.migrations);
  for await (const { table, rows } of backup.tables()) {
    const columns = table.columns.map(quoted).join(', ');
    const copy = client.query(copyFrom(`COPY ${quoted(table.name)} (${columns}) FROM STDIN`));
    await pipeline(rows, copy, { signal });
  }
  for (const { table, column, next } of header.sequences)
    await client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3, FALSE)', [quoted(table), column, next]);
  const trailer = await backup.end();
  await checkCounts(client, trailer);
  await client.query('COMMIT');
  await client.query('ANALYZE');
  return trailer;
}

/** Every row arrived. */
async function checkCounts(client: Client, { rows }: BackupTrailer): Promise<void> {
  for (const [table, expected] of Object.entries(rows)) {
    const { rows: counts } = await client.query<{ count: string }>(`SELECT count(*) AS count FROM ${quoted(table)}`);
    if (counts.some(({ count }) => Number(count) !== expected))
      throw damagedBackup(`the table ${table} has the wrong number of rows`);
  }
}
