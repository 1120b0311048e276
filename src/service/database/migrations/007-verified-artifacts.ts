import { type Kysely, type Migration, sql } from 'kysely';

/** The verified bytes that the service keeps: files by digest, and the registries that have delivered them. */
export const verifiedArtifacts: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`CREATE TABLE artifacts (
      store text NOT NULL,
      sha256 bytea NOT NULL,
      bytes bigint NOT NULL,
      part_digests bytea NOT NULL,
      reserved_at timestamptz NOT NULL DEFAULT now(),
      stored_at timestamptz,
      used_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (store, sha256))`.execute(db);
    await sql`CREATE TABLE kept_artifacts (
      store text NOT NULL,
      sha256 bytea NOT NULL,
      registry_id integer NOT NULL REFERENCES registries ON DELETE CASCADE,
      PRIMARY KEY (registry_id, store, sha256),
      FOREIGN KEY (store, sha256) REFERENCES artifacts ON DELETE CASCADE)`.execute(db);
    await sql`CREATE INDEX ON kept_artifacts (store, sha256)`.execute(db);
    await sql`ALTER TABLE versions ADD COLUMN lost_at timestamptz, ADD COLUMN keep_after timestamptz`.execute(db);
  },
};
