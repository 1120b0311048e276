import { type Kysely, type Migration, sql } from 'kysely';

/** The token of the responses under which an outcome stays valid. */
export const outcomeToken: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`ALTER TABLE registries ADD COLUMN standing text`.execute(db);
  },
};
