import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { printable, redact } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';

/** The minimum supported PostgreSQL version. */
const OLDEST = 130_000;
/** Permanent errors that a retry cannot fix: password, user, database. */
const FOR_GOOD = /^(28|3D)/;

/**
 * Waits until the server responds: machines may start together, and the database last.
 * @param patience milliseconds @param waiting called once, after the first failed attempt
 * @throws AppregError `database-unreachable`, `database-login-refused`, `database-version-unsupported`
 */
export async function awaitDatabase(url: string, patience: number, waiting: (why: string) => void): Promise<void> {
  const until = Date.now() + patience;
  for (let tries = 1; ; tries++) {
    const problem = await look(url);
    if (problem === null) return;
    const { message, code } = problem;
    if (FOR_GOOD.test(code))
      throw new AppregError(
        'database-login-refused',
        `The PostgreSQL server of DATABASE_URL refuses appreg: ${printable(redact(message))}`,
        'Look at the user, the password and the database in DATABASE_URL.',
        { cause: problem },
      );
    if (Date.now() > until)
      throw new AppregError(
        'database-unreachable',
        `The PostgreSQL server of DATABASE_URL does not answer: ${printable(redact(message || code))}`,
        'Start it, or look at host and port in DATABASE_URL. Without DATABASE_URL appreg runs a server of its own.',
        { cause: problem },
      );
    if (tries === 1) waiting(message || code);
    await sleep(500);
  }
}

async function look(url: string): Promise<{ message: string; code: string } | null> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    );
    if (rows[0]!.version >= OLDEST) return null;
  } catch (error) {
    return { message: (error as Error).message, code: (error as { code?: string }).code ?? '' };
  } finally {
    await client.end().catch(() => undefined);
  }
  throw new AppregError(
    'database-version-unsupported',
    'The PostgreSQL server of DATABASE_URL is older than version 13.',
    'Take a server that is still maintained.',
  );
}
