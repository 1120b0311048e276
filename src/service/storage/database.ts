import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import type { Database } from './tables.ts';

export type Db = Kysely<Database>;

/**
 * A connection pool for a PostgreSQL server.
 * @param url as in DATABASE_URL @param onIdleError an idle connection failed: the next query opens a new one
 */
export function openDatabase(url: string, size: number, onIdleError: (error: Error) => void): { db: Db; pool: Pool } {
  const pool = new Pool({ connectionString: url, max: size, connectionTimeoutMillis: 10_000 });
  pool.on('error', onIdleError);
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
  return { db, pool };
}

/** True if the database responds. */
export async function isReachable(db: Db): Promise<boolean> {
  return sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
}
