import { type Kysely, type Migration, sql } from 'kysely';

/** When each artifact was last asked for, with which validators, and how far a running check has got. */
export const artifactChecks: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`ALTER TABLE versions ADD COLUMN validators jsonb, ADD COLUMN asked_at timestamptz`.execute(db);
    await sql`CREATE INDEX versions_asked ON versions (registry_id, asked_at NULLS FIRST)
      WHERE state = 'verified' AND withdrawn_at IS NULL`.execute(db);
    await sql`ALTER TABLE registries ADD COLUMN artifacts_requested_at timestamptz, ADD COLUMN progress jsonb`.execute(
      db,
    );
  },
};
