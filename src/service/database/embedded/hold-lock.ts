import { Client } from 'pg';

/** Lock held in the server by the service that uses the folder. */
const LOCK_ID = 4_170_020;
/** Milliseconds for the connection. */
const CONNECT_TIMEOUT = 5_000;

/**
 * Ensures one service per folder, by a lock in the server that ends with the process. Null if another service holds it.
 * @param onLost called once if the connection fails: the server was stopped, or has restarted after a crash
 * @returns a function that releases the lock
 */
export async function holdLock(url: string, onLost: () => void): Promise<(() => Promise<void>) | null> {
  const client = new Client({
    connectionString: url,
    application_name: 'appreg lock',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
  });
  let isHeld = false;
  function end(): void {
    if (isHeld) onLost();
    isHeld = false;
  }
  client.on('error', end).once('end', end);
  try {
    await client.connect();
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [LOCK_ID]);
    isHeld = rows[0]?.got === true;
  } finally {
    if (!isHeld) await client.end().catch(() => undefined);
  }
  if (!isHeld) return null;
  return async () => {
    isHeld = false;
    await client.end().catch(() => undefined);
  };
}
