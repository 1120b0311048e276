import { AppregError, isAppregError, message, safe } from 'appreg';
import { whyNotRegularFile, whyUnreadable } from 'appreg/node';
import { type BackupSummary, DATABASE_TIMEOUT } from './back-up.ts';
import { type BackupHeader, damagedBackup, notABackup } from './format.ts';
import { type Settings } from '../../config/settings.ts';
import { awaitDatabase } from '../await-database.ts';
import { createPostgres } from '../embedded/existing-server.ts';
import { withConnection } from './connection.ts';
import { checkEmpty, load, checkSchema } from './load.ts';
import { open } from 'node:fs/promises';
import { type BackupReader, openBackup } from './reader.ts';
import { createGunzip } from 'node:zlib';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../log.ts';

interface RestoreSummary extends BackupSummary {
  header: BackupHeader;
}

/**
 * Restores a backup into an empty database or a new data folder: all of it or nothing. The whole file is verified
 * before anything is written.
 * @param signal ends it, with nothing restored
 */
export async function restore(
  { databaseUrl, dataFolder }: Pick<Settings, 'databaseUrl' | 'dataFolder'>,
  file: string,
  signal: AbortSignal,
): Promise<RestoreSummary> {
  const verified = await verifyBackup(file, signal);
  if (databaseUrl !== null) {
    await awaitDatabase(databaseUrl, 'write', DATABASE_TIMEOUT, () => undefined);
    return { ...verified, rows: await restoreInto(databaseUrl, file, signal) };
  }
  const server = await createPostgres(dataFolder, (url) => withConnection(url, signal, checkEmpty));
  try {
    const rows = await restoreInto(server.url, file, signal);
    await server.stop();
    return { ...verified, rows };
  } catch (error) {
    await server.discard();
    throw error;
  }
}

async function restoreInto(url: string, file: string, signal: AbortSignal): Promise<BackupSummary['rows']> {
  const { rows } = await withConnection(url, signal, (client) =>
    readBackup(file, (backup) => load(client, backup, signal)),
  );
  return rows;
}

/**
 * Reads the whole file of a backup, a gzip file. A damaged one is accepted only if its content is the same: gzip does not
 * protect the time and the system in its header.
 * @throws AppregError `backup-unusable` if it is damaged, `backup-newer`
 */
export async function verifyBackup(
  file: string,
  signal: AbortSignal,
): Promise<{ header: BackupHeader; bytes: number }> {
  const { size, contentSize } = await endOf(file);
  return readBackup(file, async (backup, bytesRead) => {
    for await (const { rows } of backup.tables()) for await (const _ of rows) signal.throwIfAborted();
    await backup.end();
    // Bytes after the end of the content are ignored by gzip, but change the size at the end of the file.
    if (contentSize !== bytesRead() % 2 ** 32) throw damagedBackup('it contains data after its end');
    // Last: a damaged name of a migration is not one of a newer appreg.
    checkSchema(backup.header);
    return { header: backup.header, bytes: size };
  });
}

/** The size of the file, and that of its content modulo 2^32, as the last four bytes of a gzip file say it. */
async function endOf(file: string): Promise<{ size: number; contentSize: number }> {
  const failed = whyNotRegularFile(file);
  if (failed !== null) throw unreadable(file, failed.failure);
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw unreadable(file, whyUnreadable(file, error) ?? 'cannot be read', error);
  });
  try {
    const status = await handle.stat();
    if (status.size < 20) throw withPath(file, notABackup());
    const end = Buffer.alloc(4);
    await handle.read(end, 0, 4, status.size - 4);
    return { size: status.size, contentSize: end.readUInt32LE() };
  } finally {
    await handle.close();
  }
}

/** Opens a backup, and closes it after `read`. @throws AppregError `backup-unusable`, `backup-newer` */
async function readBackup<Result>(
  file: string,
  read: (backup: BackupReader, bytesRead: () => number) => Promise<Result>,
): Promise<Result> {
  const content = createGunzip();
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of content) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const chunks = counted();
  const source = createReadStream(file);
  // Its errors arrive where the content is read.
  const unpacking = pipeline(source, content).catch(() => undefined);
  try {
    const backup = await openBackup(chunks).catch(async (error: unknown) => {
      // A damaged number is not a newer format: the checksum of a gzip file is at its end.
      if (isAppregError(error) && error.code === 'backup-newer') for await (const _ of chunks);
      throw error;
    });
    return await read(backup, () => bytes);
  } catch (error) {
    throw readFailure(file, error);
  } finally {
    source.destroy();
    content.destroy();
    await unpacking;
  }
}

function readFailure(file: string, error: unknown): unknown {
  if (isAppregError(error)) return error.code === 'backup-unusable' ? withPath(file, error) : error;
  const code = errorCode(error);
  if (code === 'Z_DATA_ERROR' && error instanceof Error && error.message.includes('header check'))
    return withPath(file, notABackup());
  if (code === 'Z_BUF_ERROR') return withPath(file, damagedBackup('it is truncated'));
  if (code.startsWith('Z_')) return withPath(file, damagedBackup('its content cannot be decompressed'));
  const why = whyUnreadable(file, error);
  return why === null ? error : unreadable(file, why, error);
}

/** Adds the path, which the reader of the content does not know. */
function withPath(file: string, { code, summary, hint, cause }: AppregError): AppregError {
  return new AppregError(code, message`${file}: ${safe(summary)}`, hint, { cause, effect: 'none' });
}

/** @param why worded to follow the path */
function unreadable(file: string, why: string, cause?: unknown): AppregError {
  return new AppregError(
    'backup-unusable',
    message`The backup ${file} ${why}.`,
    message`Give a file that appreg service backup wrote.`,
    { cause, effect: 'none' },
  );
}
