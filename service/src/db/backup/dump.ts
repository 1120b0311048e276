import { AppregError, message, VERSION } from 'appreg';
import { type Client } from 'pg';
import {
  newDigest,
  jsonLine,
  END_OF_ROWS,
  type BackupHeader,
  type BackupTable,
  BACKUP_TABLES,
  type BackupSequence,
} from './format.ts';
import { to as copyTo } from 'pg-copy-streams';
import { quoted } from './connection.ts';
import { unknownMigration } from '../migrations/migrate.ts';

/**
 * The backup of a database, in pieces and before gzip: all of it as of one moment, while others write.
 * @param onEnd receives the number of rows of each table
 * @throws AppregError `database-missing`, `database-schema-newer`
 */
export async function* dump(
  client: Client,
  now: Date,
  onEnd: (rows: Record<string, number>) => void,
): AsyncGenerator<Buffer> {
  const digest = newDigest();
  const digested = (bytes: Buffer): Buffer => {
    digest.update(bytes);
    return bytes;
  };
  const header = await startSnapshot(client, now);
  const rows: Record<string, number> = {};
  yield digested(jsonLine(header));
  for (const { name, columns } of header.tables) {
    const copy = client.query(copyTo(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) TO STDOUT`));
    for await (const chunk of copy) yield digested(chunk);
    rows[name] = copy.rowCount;
    yield digested(END_OF_ROWS);
  }
  await client.query('COMMIT');
  yield jsonLine({ rows, sha256: digest.digest('hex') });
  onEnd(rows);
}

/** Starts the transaction whose view of the database is the backup. */
async function startSnapshot(client: Client, now: Date): Promise<BackupHeader> {
  const names = await existingTables(client);
  const found = await client.query<{ migrated: boolean }>(
    `SELECT to_regclass('kysely_migration') IS NOT NULL AS migrated`,
  );
  if (!names.includes('organizations') || found.rows[0]?.migrated !== true)
    throw new AppregError(
      'database-missing',
      message`The database contains no tables of appreg, so there is nothing to back up.`,
      message`Check DATABASE_URL or --data. The service creates the tables at its first start.`,
    );
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // Before the first query, which determines the view: no table can be altered from then on.
  await client.query(`LOCK TABLE ${names.map(quoted).join(', ')}, kysely_migration IN ACCESS SHARE MODE`);
  const migrations = await client.query<{ name: string }>('SELECT name FROM kysely_migration ORDER BY name');
  const unknown = unknownMigration(migrations.rows.map(({ name }) => name));
  if (unknown !== null)
    throw new AppregError(
      'database-schema-newer',
      message`The database was migrated by a newer version of appreg.`,
      message`Make the backup with the version of appreg that uses the database.`,
    );
  const tables: BackupTable[] = [];
  for (const name of inOrder(names, await references(client))) tables.push(await tableOf(client, name));
  return {
    format: 'appreg-backup',
    version: 1,
    appreg: VERSION,
    createdAt: now.toISOString(),
    migrations: migrations.rows.map(({ name }) => name),
    tables,
    sequences: await sequencesOf(client, names),
  };
}

async function existingTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname = ANY($1)`,
    [BACKUP_TABLES],
  );
  return rows.map(({ name }) => name);
}

/** The columns whose values are stored, and not computed from others. */
async function tableOf(client: Client, table: string): Promise<BackupTable> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname::text AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [quoted(table)],
  );
  return { name: table, columns: rows.map(({ name }) => name) };
}

/** A foreign key: the names of both tables. */
interface Reference {
  referencing: string;
  referenced: string;
}

async function references(client: Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(
    `SELECT source.relname::text AS referencing, target.relname::text AS referenced FROM pg_constraint
     JOIN pg_class AS source ON source.oid = conrelid
     JOIN pg_class AS target ON target.oid = confrelid
     WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND conrelid <> confrelid`,
  );
  return rows;
}

/** Tables after all those that they refer to. */
function inOrder(names: readonly string[], foreignKeys: readonly Reference[]): string[] {
  const ordered: string[] = [];
  let remaining = [...names].toSorted();
  while (remaining.length > 0) {
    const ready = remaining.filter(
      (name) =>
        !foreignKeys.some(({ referencing, referenced }) => referencing === name && remaining.includes(referenced)),
    );
    if (ready.length === 0) throw new Error(`Tables refer to each other in a cycle: ${remaining.join(', ')}`);
    ordered.push(...ready);
    remaining = remaining.filter((name) => !ready.includes(name));
  }
  return ordered;
}

/** The next values of generated columns: numbers of deleted rows are not used again. */
async function sequencesOf(client: Client, names: readonly string[]): Promise<BackupSequence[]> {
  const { rows } = await client.query<{ tableName: string; columnName: string; sequence: string }>(
    `SELECT relname::text AS "tableName", attname::text AS "columnName",
       pg_get_serial_sequence(quote_ident(relname), attname) AS sequence
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = current_schema()::regnamespace AND relname = ANY($1) AND attnum > 0 AND NOT attisdropped
       AND pg_get_serial_sequence(quote_ident(relname), attname) IS NOT NULL
     ORDER BY 1, 2`,
    [names],
  );
  const sequences: BackupSequence[] = [];
  for (const { tableName: table, columnName: column, sequence } of rows) {
    const { rows: values } = await client.query<{ next: string }>(
      `SELECT (CASE WHEN is_called THEN last_value + 1 ELSE last_value END)::text AS next FROM ${sequence}`,
    );
    for (const { next } of values) sequences.push({ table, column, next });
  }
  return sequences;
}
