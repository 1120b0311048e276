import { Client } from 'pg';
import { refusalOf, lastingFault } from '../refusals.ts';
import { databaseFault } from '../error.ts';
import { Kysely, PostgresDialect, CamelCasePlugin } from 'kysely';
import { type Database } from '../tables/tables.ts';

/** One connection for a backup or a restore, with settings under which values have one notation. */

const SETTINGS = [
  `SET datestyle TO 'ISO'`,
  `SET intervalstyle TO 'postgres'`,
  `SET timezone TO 'UTC'`,
  `SET extra_float_digits TO 3`,
  `SET bytea_output TO 'hex'`,
  // A backup may take longer than the limits of the server for requests.
  'SET statement_timeout TO 0',
  'SET idle_in_transaction_session_timeout TO 0',
  'SET synchronize_seqscans TO off',
].join('; ');

/**
 * Runs `work` with a connection, which is closed afterwards.
 * @param signal closes the connection, so that a running statement ends
 * @throws AppregError for what the database refuses, and if the connection is lost
 */
export async function withConnection<Result>(
  url: string,
  signal: AbortSignal,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url, application_name: 'appreg backup', keepAlive: true });
  let lost: Error | null = null;
  client.on('error', (error) => {
    lost ??= error;
  });
  const close = (): void => void client.end().catch(() => undefined);
  try {
    await client.connect();
    signal.addEventListener('abort', close);
    signal.throwIfAborted();
    await client.query(SETTINGS);
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    // Statements after the end of the connection fail with errors that do not say why it ended.
    const cause: unknown = lost ?? error;
    const refusal = refusalOf(cause, url, 'none');
    if (refusal !== null) throw refusal;
    if (lost === null && databaseFault(error) === null) throw error;
    throw lastingFault(cause, url, 'none');
  } finally {
    signal.removeEventListener('abort', close);
    await client.end().catch(() => undefined);
  }
}

/** Queries by Kysely on a connection that is in a transaction. It is not closed with the result. */
export function queriesOn(client: Client): Kysely<Database> {
  const connection = { query: client.query.bind(client), release: () => undefined };
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: { connect: async () => connection, end: async () => undefined } }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/** A name in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
