import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { type ConnectionOptions, openPool, type DatabaseUrl } from './pool.ts';
import type { Database } from './tables.ts';

export type Db = Kysely<Database>;

/**
 * The tables of a PostgreSQL server, over a connection pool.
 * @param onConnectionError a connection failed: the next statement opens a new one
 */
export function openDatabase(
  url: DatabaseUrl,
  size: number,
  onConnectionError: (error: Error) => void,
  options: ConnectionOptions = {},
): { db: Db; pool: Pool } {
  const pool = openPool(url, size, onConnectionError, options);
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
  return { db, pool };
}
