import type { Settings } from '../config/settings.ts';
import { awaitDatabase } from '../database/await-database.ts';
import { withConnection } from '../database/backup/backup-connection.ts';
import type { BackupHeader } from '../database/backup/backup-format.ts';
import { checkEmpty, load } from '../database/backup/load.ts';
import { createPostgres } from '../database/embedded/existing-server.ts';
import { type BackupSummary, DATABASE_TIMEOUT } from './backup.ts';
import { readBackup, verifyBackup } from './backup-file.ts';

/** The result of a restore. */
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
    await awaitDatabase(databaseUrl, DATABASE_TIMEOUT, () => undefined);
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
