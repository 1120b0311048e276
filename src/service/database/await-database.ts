import { message } from '../../core/text/message.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { AppregError } from '../../core/errors.ts';
import { errorCode, errorMessage } from '../log.ts';
import type { DatabaseUrl } from './database.ts';

/** The minimum supported PostgreSQL version. */
const MINIMUM_VERSION = 130_000;
/** Permanent errors that a retry cannot fix: password, user, database. */
const PERMANENT = /^(28|3D)/;

/**
 * Waits until the server responds: machines may start together, and the database last.
 * @param timeout milliseconds
 * @param onWait called once, after the first failed attempt
 * @throws AppregError `database-unreachable`, `database-login-refused`, `database-version-unsupported`
 */
export async function awaitDatabase(url: DatabaseUrl, timeout: number, onWait: (why: string) => void): Promise<void> {
  const until = Date.now() + timeout;
  for (let tries = 1; ; tries++) {
    const problem = await tryConnection(typeof url === 'string' ? url : url());
    if (problem === null) return;
    const { message: summary, code } = problem;
    if (PERMANENT.test(code))
      throw new AppregError(
        'database-login-refused',
        message`The PostgreSQL server of DATABASE_URL refuses appreg: ${summary}`,
        message`Check the user, the password and the database in DATABASE_URL.`,
        { cause: problem },
      );
    if (Date.now() > until)
      throw new AppregError(
        'database-unreachable',
        message`The PostgreSQL server of DATABASE_URL does not respond: ${summary || code}`,
        message`Start it, or check the host and port in DATABASE_URL. Without DATABASE_URL, appreg runs an embedded server.`,
        { cause: problem },
      );
    if (tries === 1) onWait(summary || code);
    await sleep(500);
  }
}

async function tryConnection(url: string): Promise<{ message: string; code: string } | null> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int AS version`,
    );
    if (rows.some(({ version }) => version >= MINIMUM_VERSION)) return null;
  } catch (error) {
    return { message: errorMessage(error), code: errorCode(error) };
  } finally {
    await client.end().catch(() => undefined);
  }
  throw new AppregError(
    'database-version-unsupported',
    message`The PostgreSQL server of DATABASE_URL is older than version 13.`,
    message`Use PostgreSQL 13 or later.`,
  );
}
