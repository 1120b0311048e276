import { message } from '../../../core/text/message.ts';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppregError } from '../../../core/errors.ts';
import { makeFolder, whyNotUsable } from '../../../platform/make-folder.ts';
import { errorCode, failureOutput } from '../../log.ts';
import { mayRead, run, type RunAs } from './binaries.ts';

/** The folder of an embedded PostgreSQL: its owner, its permissions, and the creation of the database. */

/** The owner of the database in the folder; null if there is none. */
export async function databaseOwner(home: string): Promise<{ uid: number; gid: number } | null> {
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
