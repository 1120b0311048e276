import { AppregError, isAppregError, message, safe } from 'appreg';
import { type DatabaseUrl } from './database.ts';
import { refusalOf, lastingFault, placeOf, sqlName, namesIn } from './refusals.ts';
import { errorMessage, errorCode } from '../log.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** Waits for a database, and checks that the service can use it. */

/** Need for a database: to be read, as a backup does, or to be written. */
type Need = 'read' | 'write';

/** Milliseconds between two attempts. */
const RETRY_INTERVAL = 500;
/** Milliseconds for an attempt. */
const ATTEMPT_TIMEOUT = 5_000;

/**
 * Waits until the server responds: machines may start together, and the database last. What only an operator can change
 * is reported at once.
 * @param timeout milliseconds
 * @param onWait called once, after the first failed attempt
 * @throws AppregError with the code of what is wrong (docs/errors.md, `database-…`)
 */
export async function awaitDatabase(
  url: DatabaseUrl,
  need: Need,
  timeout: number,
  onWait: (why: string) => void,
): Promise<void> {
  const until = Date.now() + timeout;
  for (let tries = 1; ; tries++) {
    const current = typeof url === 'string' ? url : url();
    try {
      return await tryConnection(current, need);
    } catch (error) {
      if (isAppregError(error)) throw error;
      const refusal = refusalOf(error, current);
      if (refusal !== null) throw refusal;
      if (Date.now() > until) throw lastingFault(error, current);
      if (tries === 1) onWait(errorMessage(error) || errorCode(error));
    }
    await sleep(RETRY_INTERVAL);
  }
}

/** The minimum supported PostgreSQL version. */
const MINIMUM_VERSION = 130_000;

interface ServerState {
  version: number;
  encoding: string;
  readOnly: string;
}

/** @throws AppregError for a server that does not fit; the error of the database for one that may fit later */
async function tryConnection(url: string, need: Need): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: ATTEMPT_TIMEOUT,
    query_timeout: ATTEMPT_TIMEOUT,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<ServerState>(
      `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
         current_setting('transaction_read_only') AS "readOnly"`,
    );
    for (const state of rows) checkServer(state, url, need);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function checkServer({ version, encoding, readOnly }: ServerState, url: string, need: Need): void {
  if (version < MINIMUM_VERSION)
    throw new AppregError(
      'database-version-unsupported',
      message`The PostgreSQL server at ${safe(placeOf(url))} has the version ${versionText(version)}, but appreg needs 13 or later.`,
      message`Upgrade it, or use another server.`,
    );
  if (need === 'read') return;
  if (encoding !== 'UTF8')
    throw new AppregError(
      'database-encoding-unsupported',
      message`The PostgreSQL server at ${safe(placeOf(url))} stores text in ${encoding}, which does not have all characters that apps use.`,
      message`Create a database in UTF8: CREATE DATABASE appreg OWNER ${sqlName(namesIn(url).user)} ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0; then set DATABASE_URL to it. To keep what this one has: appreg service backup, then restore.`,
    );
  if (readOnly === 'on') throw Object.assign(new Error('Transactions are read-only.'), { code: READ_ONLY });
}

/** PostgreSQL: read_only_sql_transaction. It may end: a standby is promoted. */
const READ_ONLY = '25006';

/** Such as 12.4, or 9.6.24: until 10, the first two numbers are the major version. */
function versionText(version: number): string {
  const [major, minor] = [Math.floor(version / 10_000), version % 10_000];
  return major >= 10 ? `${major}.${minor}` : `${major}.${Math.floor(minor / 100)}.${minor % 100}`;
}
