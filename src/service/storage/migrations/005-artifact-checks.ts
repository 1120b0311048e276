import { type Kysely, type Migration, sql } from 'kysely';

/** When each artifact was last asked for, with which validators, and how far a running check has got. */
export const artifactChecks: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table versions add column validators jsonb, add column asked_at timestamptz`.execute(db);
    await sql`create index versions_asked on versions (registry_id, asked_at nulls first)
      where state = 'verified' and withdrawn_at is null`.execute(db);
    await sql`alter table registries add column artifacts_requested_at timestamptz, add column progress jsonb`.execute(
      db,
    );
  },
};
