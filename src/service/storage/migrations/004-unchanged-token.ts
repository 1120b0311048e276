import { type Kysely, type Migration, sql } from 'kysely';

/** Renames the column of 002. */
export const unchangedToken: Migration = {
  async up(db: Kysely<unknown>) {
    // Its values are only a cache, in another format.
    await sql`alter table registries drop column standing`.execute(db);
    await sql`alter table registries add column unchanged_token text`.execute(db);
  },
};
