import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** Lock held in the server by the service that uses the folder. */
const IN_USE = 4_170_020;

/**
 * Ensures one service per folder, by a lock in the server that ends with the process. Null if another service holds it.
 * The lock is acquired again when the server restarts after a crash.
 */
export async function holdLock(url: string): Promise<(() => Promise<void>) | null> {
  const over = new AbortController();
  let held = await lockedClient(url, lost);
  if (held === null) return null;
  async function lost(): Promise<void> {
    held = null;
    while (!over.signal.aborted && held === null) {
      await sleep(1_000, undefined, { ref: false });
      held = await lockedClient(url, lost).catch(() => null);
    }
  }
  return async () => {
    over.abort();
    await held?.end().catch(() => undefined);
  };
}

async function lockedClient(url: string, lost: () => void): Promise<Client | null> {
  const client = new Client({ connectionString: url, application_name: 'appreg lock', keepAlive: true });
  client.once('error', lost).on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_lock($1) as got', [IN_USE]);
    if (rows[0]?.got) return client;
  } catch (error) {
    client.off('error', lost);
    await client.end().catch(() => undefined);
    throw error;
  }
  client.off('error', lost);
  await client.end();
  return null;
}
