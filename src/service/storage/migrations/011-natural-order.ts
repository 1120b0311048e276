import { type Kysely, type Migration, sql } from 'kysely';

/** The order of names for people: independent of case and script, and numbers by their value. */
export const naturalOrder: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`CREATE COLLATION IF NOT EXISTS natural_order (provider = icu, locale = 'und-u-kn-true')`.execute(db);
  },
};
