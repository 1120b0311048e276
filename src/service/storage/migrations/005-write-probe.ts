import { type Kysely, type Migration, sql } from 'kysely';

/** An empty table, in which each node tests that it can write (write-probe.ts). */
export const writeProbe: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create table write_probe (filler text not null)`.execute(db);
    // Compressed, a row would not fill a page.
    await sql`alter table write_probe alter column filler set storage plain`.execute(db);
  },
};
