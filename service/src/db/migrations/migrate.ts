import { AppregError, message } from 'appreg';
import { type Migration, type Kysely, sql, Migrator, type MigrationResultSet } from 'kysely';
import { baseline } from './001-baseline.ts';
import { type Database } from '../tables/tables.ts';

/**
 * All migrations by name, in order, a file for each. A released migration never changes: add a new one. Tests add one to
 * this object.
 */
export const MIGRATIONS: Record<string, Migration> = { '001-baseline': baseline };

/**
 * Migrates the tables: forward only, each migration once. Nodes that start together wait for each other.
 * @throws AppregError `database-schema-newer` if a newer appreg has migrated the database, `database-foreign` if another
 * program uses it
 */
export async function migrate(db: Kysely<Database>): Promise<void> {
  await refuseForeign(db);
  await run(migratorOf(db).migrateToLatest());
}

/** Another program's tables may have the same names. */
async function refuseForeign(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`.execute(db);
  const tables = rows.map(({ name }) => name);
  const names = tables.includes('kysely_migration')
    ? (await sql<{ name: string }>`SELECT * FROM kysely_migration`.execute(db)).rows.map(({ name }) => name)
    : [];
  const hasOurs = names.some((name) => name in MIGRATIONS);
  const isForeign = hasOurs ? false : names.length > 0 || tables.some((name) => OWN_TABLES.has(name));
  if (!isForeign) return;
  throw new AppregError(
    'database-foreign',
    message`The database has tables of another program: ${tables.toSorted().slice(0, 3).join(', ')}${tables.length > 3 ? ` and ${tables.length - 3} more` : ''}.`,
    message`Use a database of its own for the service (createdb), and set DATABASE_URL to it.`,
    { effect: 'none' },
  );
}

/** Tables of the first migration that other programs are likely to have. */
const OWN_TABLES = new Set(['organizations', 'registries', 'subscriptions', 'apps', 'versions', 'icons', 'sessions']);

/** The first of these migrations that this appreg does not have; null if it has all of them. */
export function unknownMigration(names: readonly string[]): string | null {
  return names.find((name) => !(name in MIGRATIONS)) ?? null;
}

/** True if these are the first migrations of this appreg, so that a database with them can be migrated further. */
export function areFirstMigrations(names: readonly string[]): boolean {
  const known = Object.keys(MIGRATIONS);
  return names.length > 0 && names.toSorted().every((name, index) => name === known[index]);
}

/**
 * Creates the tables as the first migrations left them, in the transaction of `db`'s only connection.
 * @param names fulfil `areFirstMigrations`
 */
export async function migrateEmpty(db: Kysely<Database>, names: readonly string[]): Promise<void> {
  const last = names.toSorted().at(-1);
  if (last !== undefined) await run(migratorOf(db, { disableTransactions: true }).migrateTo(last));
}

function migratorOf(db: Kysely<Database>, options: { disableTransactions?: boolean } = {}): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS }, ...options });
}

async function run(migrating: Promise<MigrationResultSet>): Promise<void> {
  const { error } = await migrating;
  if (error === undefined) return;
  if (error instanceof Error && error.message.includes('corrupted migrations'))
    throw new AppregError(
      'database-schema-newer',
      message`The database was migrated by another version of appreg.`,
      message`Use the newest version of appreg that has used this database, or use another database.`,
      { cause: error },
    );
  throw error;
}
