import { type Kysely, type Migration, sql } from 'kysely';

/** Renames the column of 002. */
export const unchangedToken: Migration = {
  async up(db: Kysely<unknown>) {
    // Its values are only a cache, in another format.
    await sql`ALTER TABLE registries DROP COLUMN standing`.execute(db);
    await sql`ALTER TABLE registries ADD COLUMN unchanged_token text`.execute(db);
  },
};
