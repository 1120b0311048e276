import { type Kysely, type Migration, sql } from 'kysely';

/** Finds the versions whose bytes a subscriber waits for. A database may have the index already. */
export const requestedArtifacts: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`CREATE INDEX IF NOT EXISTS versions_keep_after_idx ON versions (keep_after)
      WHERE keep_after IS NOT NULL`.execute(db);
  },
};
