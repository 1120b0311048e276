import { type Kysely, type Migration, sql } from 'kysely';

/** An empty table, in which each node tests that it can write (write-probe.ts). */
export const writeProbe: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`CREATE TABLE write_probe (filler text NOT NULL)`.execute(db);
    // Compressed, a row would not fill a page.
    await sql`ALTER TABLE write_probe ALTER COLUMN filler SET STORAGE PLAIN`.execute(db);
  },
};
