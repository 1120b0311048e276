import { AppregError, message } from 'appreg';
import { removeStaleTempFiles, tempName } from 'appreg/node';
import { type Settings } from '../../config/settings.ts';
import { awaitDatabase } from '../await-database.ts';
import { openExistingPostgres } from '../embedded/existing-server.ts';
import { stat, lstat, rename, rm } from 'node:fs/promises';
import { dirname, join, basename } from 'node:path';
import { withConnection } from './connection.ts';
import { dump } from './dump.ts';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { errorCode } from '../../log.ts';

export interface BackupSummary {
  /** Rows by table. */
  rows: Record<string, number>;
  /** Size of the file. */
  bytes: number;
}

/** Milliseconds to wait for a PostgreSQL server. */
export const DATABASE_TIMEOUT = 5_000;

/**
 * Writes a backup of the database into a file, also while the service runs. The file is complete or does not exist; an
 * older one is replaced. What killed runs left in its folder is removed.
 * @param signal ends it without a file
 */
export async function backUp(
  { databaseUrl, dataFolder }: Pick<Settings, 'databaseUrl' | 'dataFolder'>,
  file: string,
  signal: AbortSignal,
): Promise<BackupSummary> {
  await checkFile(file);
  if (databaseUrl !== null) {
    await awaitDatabase(databaseUrl, 'read', DATABASE_TIMEOUT, () => undefined);
    return writeBackup(databaseUrl, file, signal);
  }
  const { url, stop } = await openExistingPostgres(dataFolder);
  try {
    return await writeBackup(url, file, signal);
  } finally {
    await stop();
  }
}

/** Checked first, since most mistakes are in the path. */
async function checkFile(file: string): Promise<void> {
  const folder = await stat(dirname(file)).catch(() => null);
  if (folder?.isDirectory() !== true) throw notWritten(file, 'its folder does not exist');
  const existing = await lstat(file).catch(() => null);
  if (existing?.isDirectory() === true)
    throw new AppregError(
      'backup-not-written',
      message`${file} is a folder.`,
      message`Give the name of a file, such as ${join(file, 'appreg-backup.gz')}.`,
      { effect: 'none' },
    );
  if (existing !== null && !existing.isFile()) throw notWritten(file, 'it already exists and is not a regular file');
}

async function writeBackup(url: string, file: string, signal: AbortSignal): Promise<BackupSummary> {
  const folder = dirname(file);
  const temporary = join(folder, tempName(basename(file)));
  try {
    await removeStaleTempFiles(folder);
    const rows = await withConnection(url, signal, async (client) => {
      let counts: Record<string, number> = {};
      const content = dump(client, new Date(), (rowsOfTables) => {
        counts = rowsOfTables;
      });
      const output = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true });
      await pipeline(content, createGzip(), output, { signal });
      return counts;
    });
    await rename(temporary, file);
    const { size } = await stat(file);
    return { rows, bytes: size };
  } catch (error) {
    await rm(temporary, { force: true });
    throw WRITE_ERRORS.test(errorCode(error)) ? notWritten(file, errorCode(error), error) : error;
  }
}

const WRITE_ERRORS = /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|EFBIG|ENAMETOOLONG|ENOENT|EISDIR)$/;

function notWritten(file: string, reason: string, cause?: unknown): AppregError {
  return new AppregError(
    'backup-not-written',
    message`The backup cannot be written to ${file}: ${reason}.`,
    message`Give a file in a writable folder, on a disk with enough free space.`,
    { cause, effect: 'none' },
  );
}
