import { type Kysely, type Migration, sql } from 'kysely';

/** The fragment of an icon’s URL. */
export const iconFragment: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`ALTER TABLE apps ADD COLUMN icon_fragment text NOT NULL DEFAULT ''`.execute(db);
  },
};
