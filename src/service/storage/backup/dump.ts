import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { AppregError } from '../../../core/errors.ts';
import { VERSION } from '../../../core/tool-version.ts';
import { unknownMigration } from '../migrations/migrate.ts';
import { quoted } from './backup-connection.ts';
import {
  type BackupHeader,
  type BackupSequence,
  type BackupTable,
  END_OF_ROWS,
  jsonLine,
  newDigest,
} from './backup-format.ts';
import { BACKUP_TABLES } from './backup-tables.ts';

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
    const copy = client.query(copyTo(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`));
    for await (const chunk of copy) yield digested(chunk);
    rows[name] = copy.rowCount;
    yield digested(END_OF_ROWS);
  }
  await client.query('commit');
  yield jsonLine({ rows, sha256: digest.digest('hex') });
  onEnd(rows);
}

/** Starts the transaction whose view of the database is the backup. */
async function startSnapshot(client: Client, now: Date): Promise<BackupHeader> {
  const names = await existingTables(client);
  if (!names.includes('organizations'))
    throw new AppregError(
      'database-missing',
      'The database has no tables of appreg, so there is nothing to back up.',
      'Check DATABASE_URL, or --data: the service creates the tables at its first start.',
    );
  await client.query('begin isolation level repeatable read read only');
  // Before the first query, which determines the view: no table can be altered from then on.
  await client.query(`lock table ${names.map(quoted).join(', ')}, kysely_migration in access share mode`);
  const migrations = await client.query<{ name: string }>('select name from kysely_migration order by name');
  const unknown = unknownMigration(migrations.rows.map(({ name }) => name));
  if (unknown !== null)
    throw new AppregError(
      'database-schema-newer',
      'The database was migrated by a newer appreg.',
      'Make the backup with the release of appreg that uses the database.',
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
    `select relname::text as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = any($1)`,
    [BACKUP_TABLES],
  );
  return rows.map(({ name }) => name);
}

/** The columns whose values are stored, and not computed from others. */
async function tableOf(client: Client, name: string): Promise<BackupTable> {
  const { rows } = await client.query<{ column: string }>(
    `select attname::text as column from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [quoted(name)],
  );
  return { name, columns: rows.map(({ column }) => column) };
}

interface Reference {
  from: string;
  to: string;
}

async function references(client: Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(
    `select source.relname::text as from, target.relname::text as to from pg_constraint
     join pg_class source on source.oid = conrelid
     join pg_class target on target.oid = confrelid
     where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`,
  );
  return rows;
}

/** Tables after all those that they refer to. */
function inOrder(names: readonly string[], edges: readonly Reference[]): string[] {
  const ordered: string[] = [];
  let remaining = [...names].toSorted();
  while (remaining.length > 0) {
    const ready = remaining.filter((name) => !edges.some(({ from, to }) => from === name && remaining.includes(to)));
    if (ready.length === 0) throw new Error(`Tables refer to each other in a cycle: ${remaining.join(', ')}`);
    ordered.push(...ready);
    remaining = remaining.filter((name) => !ready.includes(name));
  }
  return ordered;
}

/** The next values of generated columns: numbers of deleted rows are not used again. */
async function sequencesOf(client: Client, names: readonly string[]): Promise<BackupSequence[]> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select relname::text as table, attname::text as column, pg_get_serial_sequence(quote_ident(relname), attname) as sequence
     from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = current_schema()::regnamespace and relname = any($1) and attnum > 0 and not attisdropped
       and pg_get_serial_sequence(quote_ident(relname), attname) is not null
     order by 1, 2`,
    [names],
  );
  const sequences: BackupSequence[] = [];
  for (const { table, column, sequence } of rows) {
    const { rows: values } = await client.query<{ next: string }>(
      `select (case when is_called then last_value + 1 else last_value end)::text as next from ${sequence}`,
    );
    for (const { next } of values) sequences.push({ table, column, next });
  }
  return sequences;
}
