import { AppregError, counted, MAX_DEPTH, message, printable } from 'appreg';
import { type BackupHeader, type BackupTrailer, type BackupTable, damagedBackup } from './format.ts';
import { areFirstMigrations, migrateEmpty } from '../migrations/migrate.ts';
import { type Client } from 'pg';
import { type BackupReader } from './reader.ts';
import { queriesOn, quoted } from './connection.ts';
import { from as copyFrom } from 'pg-copy-streams';
import { pipeline } from 'node:stream/promises';
import { errorCode, errorMessage } from '../../log.ts';

/** @throws AppregError `backup-newer` if this appreg does not have all migrations of the backup */
export function checkSchema({ migrations, appreg }: BackupHeader): void {
  if (areFirstMigrations(migrations)) return;
  throw new AppregError(
    'backup-newer',
    message`The backup was made by another version of appreg (${appreg}), with tables that this version does not have.`,
    message`Restore it with the version of appreg that made it, or a later one.`,
    { effect: 'none' },
  );
}

/** @throws AppregError `restore-target-not-empty` unless the database has no tables */
export async function checkEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ names: string[] }>(
    `SELECT coalesce(array_agg(nspname || '.' || relname ORDER BY nspname, relname), '{}') AS names
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND nspname = current_schema()
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`,
  );
  const names = rows.flatMap((row) => row.names);
  if (names.length === 0) return;
  throw new AppregError(
    'restore-target-not-empty',
    message`The database to restore into is not empty: ${await contentOf(client, names)}.`,
    message`Restore into a new database (createdb), or use --data with a new folder.`,
    { effect: 'none' },
  );
}

/** Describes the content of a database, for people. @param names of its tables and sequences, with their schemas */
async function contentOf(client: Client, names: readonly string[]): Promise<string> {
  const schemaRows = await client.query<{ schema: string }>('SELECT current_schema() AS schema');
  const schema = schemaRows.rows[0]?.schema ?? 'public';
  const isOurs = ['organizations', 'registries', 'kysely_migration'].every((name) =>
    names.includes(`${schema}.${name}`),
  );
  if (!isOurs) {
    const others = names.map((name) => name.slice(name.indexOf('.') + 1));
    const more = others.length > 3 ? ` and ${others.length - 3} more` : '';
    return `it has tables of another program: ${printable(others.slice(0, 3).join(', '))}${more}`;
  }
  const { rows } = await client.query<{ organizations: number; registries: number }>(
    'SELECT (SELECT count(*) FROM organizations)::int AS organizations, (SELECT count(*) FROM registries)::int AS registries',
  );
  const { organizations = 0, registries = 0 } = rows[0] ?? {};
  if (organizations + registries === 0)
    return 'it already has the tables of a service of appreg, without organizations';
  return `it already has ${counted(organizations, 'organization')} and ${counted(registries, 'registry', 'registries')} of a service of appreg`;
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
  await checkRights(client);
  await migrateEmpty(queriesOn(client), header.migrations);
  for await (const { table, rows } of backup.tables()) {
    await copyRows(client, table, rows, signal);
    await checkNesting(client, table);
  }
  for (const { table, column, next } of header.sequences)
    await client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3, FALSE)', [quoted(table), column, next]);
  const trailer = await backup.end();
  await checkCounts(client, trailer);
  await client.query('COMMIT');
  await client.query('ANALYZE');
  return trailer;
}

/**
 * Throws the error of a database in which the role may not create tables. The migrations would continue after it, and
 * report that the transaction is aborted.
 */
async function checkRights(client: Client): Promise<void> {
  await client.query('CREATE TABLE restore_probe ()');
  await client.query('DROP TABLE restore_probe');
}

/** Errors of PostgreSQL about data: a value, a constraint, a name, a limit, a text that is not one of its type. */
const WRONG_ROWS = /^(22|23|42|54)\w{3}$/;

/** @throws AppregError `backup-unusable` if PostgreSQL refuses the rows */
async function copyRows(
  client: Client,
  { name, columns }: BackupTable,
  rows: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const copy = client.query(copyFrom(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) FROM STDIN`));
  try {
    await pipeline(rows, copy, { signal });
  } catch (error) {
    if (!WRONG_ROWS.test(errorCode(error))) throw error;
    throw damagedBackup(`the rows of the table ${name} do not fit: ${errorMessage(error)}`);
  }
}

/** Checks the nesting of stored JSON, which is bounded as that of request bodies is: it is walked, and sent, again. */
async function checkNesting(client: Client, { name }: BackupTable): Promise<void> {
  const { rows } = await client.query<{ column: string }>(
    `SELECT attname::text AS column FROM pg_attribute
     WHERE attrelid = $1::regclass AND atttypid IN ('json'::regtype, 'jsonb'::regtype) AND NOT attisdropped`,
    [quoted(name)],
  );
  for (const { column } of rows) {
    const path = `$.**{${MAX_DEPTH + 1}}`;
    const { rowCount } = await client.query(
      `SELECT FROM ${quoted(name)} WHERE jsonb_path_exists(${quoted(column)}::jsonb, '${path}') LIMIT 1`,
    );
    if (rowCount !== 0)
      throw damagedBackup(`a value of ${name}.${column} is nested more than ${MAX_DEPTH} levels deep`);
  }
}

/** Every row arrived. */
async function checkCounts(client: Client, { rows }: BackupTrailer): Promise<void> {
  for (const [table, expected] of Object.entries(rows)) {
    const { rows: counts } = await client.query<{ count: string }>(`SELECT count(*) AS count FROM ${quoted(table)}`);
    if (counts.some(({ count }) => Number(count) !== expected))
      throw damagedBackup(`the table ${table} has the wrong number of rows`);
  }
}
