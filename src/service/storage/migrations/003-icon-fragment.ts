import { type Kysely, type Migration, sql } from 'kysely';

/** The fragment of an icon’s URL. */
export const iconFragment: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table apps add column icon_fragment text not null default ''`.execute(db);
  },
};
