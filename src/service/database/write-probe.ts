import { sql } from 'kysely';
import type { Db } from './database.ts';

/** A transaction that needs new space in the table's file, and is rolled back. */

/** The rows of 8 kB that are written if the disk was full. */
const ROWS_ON_FULL_DISK = 64;

class RolledBack extends Error {}

/** @param wasDiskFull needs more space: the disk was full a moment ago @throws the error of the database */
export async function probeWrite(db: Db, wasDiskFull: boolean): Promise<void> {
  const rows = wasDiskFull ? ROWS_ON_FULL_DISK : 1;
  const probe = db.transaction().execute(async (tx) => {
    // One row fills a page; a rolled back one is not reused before the next vacuum.
    await sql`INSERT INTO write_probe (filler) SELECT repeat('x', 8000) FROM generate_series(1, ${rows}::int)`.execute(
      tx,
    );
    throw new RolledBack();
  });
  await probe.catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error;
  });
}
