import { type Kysely, type Migration, sql } from 'kysely';

/** Refused versions are counted at every scrape of the metrics. */
export const refusedVersions: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`CREATE INDEX ON versions (registry_id) WHERE state = 'refused' AND withdrawn_at IS NULL`.execute(db);
  },
};
