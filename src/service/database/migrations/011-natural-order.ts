import { type Kysely, type Migration, sql } from 'kysely';

/**
 * The order of names for people: independent of case and script, and numbers by their value. A PostgreSQL that was
 * built without ICU orders names by code point.
 */
export const naturalOrder: Migration = {
  async up(db: Kysely<unknown>) {
    const { rows } = await sql`SELECT FROM pg_collation WHERE collprovider = 'i' LIMIT 1`.execute(db);
    const definition = rows.length > 0 ? sql`(provider = icu, locale = 'und-u-kn-true')` : sql`FROM "C"`;
    await sql`CREATE COLLATION IF NOT EXISTS natural_order ${definition}`.execute(db);
  },
};
