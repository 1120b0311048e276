import { type Kysely, type Migration, sql } from 'kysely';

/** Refused versions are counted at every scrape of the metrics. */
export const refusedVersions: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index on versions (registry_id) where state = 'refused' and withdrawn_at is null`.execute(db);
  },
};
