import { type Kysely, type Migration, sql } from 'kysely';

/** Finds the versions whose host has lost the artifact. */
export const lostVersions: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`CREATE INDEX versions_lost_at_idx ON versions (registry_id) WHERE lost_at IS NOT NULL`.execute(db);
  },
};
