import { Kysely, PostgresDialect, CamelCasePlugin, sql } from 'kysely';
import { type Database } from './tables/tables.ts';
import { Pool, Client, type ClientConfig, type PoolClient } from 'pg';

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

/** The URL of a server, as in DATABASE_URL; a function if it may change while the service runs. */
export type DatabaseUrl = string | (() => string);

export interface ConnectionOptions {
  /** Milliseconds for a new connection. */
  connectTimeout?: number;
  /** Milliseconds for a statement; null for no limit, as migrations need. */
  statementTimeout?: number | null;
  /** Milliseconds by which the response may exceed this limit, until the network is presumed to be down. */
  responseMargin?: number;
}

const CONNECT_TIMEOUT = 10_000;
const STATEMENT_TIMEOUT = 30_000;
const RESPONSE_MARGIN = 5_000;
/**
 * Milliseconds until the server ends a transaction without statements: a node that is stopped in a transaction does not
 * block the others.
 */
const IDLE_TRANSACTION_TIMEOUT = 30_000;
/** Milliseconds until the operating system probes an idle connection. */
const KEEP_ALIVE_DELAY = 10_000;

/**
 * A connection pool. A failed connection never ends the process: its statement fails, and the next one gets a new
 * connection. A connection without a response is closed.
 */
function openPool(
  url: DatabaseUrl,
  size: number,
  onConnectionError: (error: Error) => void,
  {
    connectTimeout = CONNECT_TIMEOUT,
    statementTimeout = STATEMENT_TIMEOUT,
    responseMargin = RESPONSE_MARGIN,
  }: ConnectionOptions = {},
): Pool {
  const responseTimeout = statementTimeout === null ? null : statementTimeout + responseMargin;
  const pool = new Pool({
    Client: clientOf(typeof url === 'string' ? () => url : url),
    max: size,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
    ...(responseTimeout !== null && { query_timeout: responseTimeout }),
    async onConnect(client) {
      // As a statement: poolers refuse these settings at the start of a connection.
      await client.query(
        `SET statement_timeout = ${statementTimeout ?? 0}; SET idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIMEOUT}`,
      );
    },
  });
  pool.on('error', onConnectionError);
  // The pool itself listens to idle connections only, and an error without a listener ends the process.
  pool.on('connect', (client) => client.on('error', onConnectionError));
  pool.on('release', (_, client) => closeIfBusy(client));
  return pool;
}

/** Reads the URL for each connection. */
function clientOf(url: () => string): typeof Client {
  return class extends Client {
    constructor(config: ClientConfig = {}) {
      super({ ...config, connectionString: url() });
    }
  };
}

/** A connection whose last statement got no response cannot be used again. */
function closeIfBusy(client: PoolClient): void {
  const activeStatement: unknown = Reflect.get(client, '_activeQuery');
  if (activeStatement) client.connection.stream.destroy();
}

/** A transaction that needs new space in the table's file, and is rolled back. */

/** The rows of 8 kB that are written if the disk was full. */
const ROWS_ON_FULL_DISK = 64;

class RolledBack extends Error {}

/** @param wasDiskFull needs more space: the disk was full a moment ago @throws the error of the database */
export async function probeWrite(db: Db, wasDiskFull: boolean): Promise<void> {
  const rows = wasDiskFull ? ROWS_ON_FULL_DISK : 1;
  const probe = db.transaction().execute(async (tx) => {
    // One row fills a page; a rolled back one is not reused before the next vacuum.
    await sql`INSERT INTO write_probe (filler) SELECT repeat('x', 8000) FROM generate_series(1, ${rows}::int)`.execute(
      tx,
    );
    throw new RolledBack();
  });
  await probe.catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error;
  });
}
