import { AppregError, message } from 'appreg';
import { whyNotUsable } from 'appreg/node';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './server.ts';
import { resolve, join } from 'node:path';
import { databaseOwner } from './data-folder.ts';
import { readPostmasterPid } from './postmaster.ts';
import { Client } from 'pg';
import { readFile, readdir, rm } from 'node:fs/promises';
import { errorCode } from '../../log.ts';

/** The embedded PostgreSQL for backups, which run beside the service, and for restores, which create its folder. */

/**
 * Connects to the server of a data folder: the running one, which is left running; otherwise it is started.
 * @throws AppregError `database-missing` if the folder has no database
 */
export async function openExistingPostgres(folder: string): Promise<EmbeddedPostgres> {
  const root = resolve(folder);
  const home = join(root, 'postgres');
  if ((await databaseOwner(home)) === null)
    throw new AppregError(
      'database-missing',
      message`${root} does not contain a database of appreg.`,
      message`Give the folder of the service with --data, or its server with DATABASE_URL.`,
    );
  const running = await runningServer(home);
  return running === null ? startEmbeddedPostgres(root) : { url: running, stop: async () => undefined };
}

/** The URL of the server that runs on a database; null if none does. */
async function runningServer(home: string): Promise<string | null> {
  const port = (await readPostmasterPid(join(home, 'data')))?.port ?? null;
  if (port === null) return null;
  const url = `postgres://appreg:${await passwordOf(home)}@127.0.0.1:${port}/postgres`;
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return url;
  } catch {
    // A file left by a killed server: its port may be that of another program.
    return null;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function passwordOf(home: string): Promise<string> {
  try {
    return (await readFile(join(home, 'password'), 'utf8')).trim();
  } catch (error) {
    throw new AppregError(
      'data-folder-inaccessible',
      message`The password of the database in ${home} cannot be read: ${errorCode(error) || 'unknown error'}`,
      message`Run the command as the user that runs appreg service.`,
      { cause: error },
    );
  }
}

/** Entries that a folder has before its first database: of the system, and of restores and starts that were killed. */
const NOT_DATA = /^(postgres|postgres\.making-.*|binaries-.*|lost\+found)$/;

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw new AppregError(
      'data-folder-unusable',
      message`${folder} cannot be used: ${whyNotUsable(error)}.`,
      message`Use a writable folder: --data <folder>`,
      { cause: error },
    );
  }
}

/**
 * Starts a server in a new data folder. An existing database is used only if it is empty: one that a killed restore left.
 * @param checkEmpty throws if the database has tables
 * @throws AppregError `restore-target-not-empty`
 */
export async function createPostgres(
  folder: string,
  checkEmpty: (url: string) => Promise<void>,
): Promise<EmbeddedPostgres & { discard(): Promise<void> }> {
  const root = resolve(folder);
  const entries = await entriesOf(root);
  const foreign = entries.find((name) => !NOT_DATA.test(name));
  if (foreign !== undefined)
    throw new AppregError(
      'restore-target-not-empty',
      message`The folder to restore into is not empty: ${root} contains ${foreign}.`,
      message`Restore into a new folder: --data <folder>`,
      { effect: 'none' },
    );
  const existed = entries.includes('postgres');
  const { url, stop } = await startEmbeddedPostgres(root);
  const discard = async (): Promise<void> => {
    await stop();
    await rm(join(root, 'postgres'), { recursive: true, force: true });
  };
  if (existed)
    await checkEmpty(url).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
  return { url, stop, discard };
}
