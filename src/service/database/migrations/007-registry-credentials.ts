import { type Kysely, type Migration, sql } from 'kysely';

/** A registry with credentials has an owner, and is not shared. */
export const registryCredentials: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`ALTER TABLE registries
      ADD COLUMN owner_id uuid REFERENCES organizations ON DELETE CASCADE,
      ADD COLUMN unauthorized boolean NOT NULL DEFAULT FALSE,
      DROP CONSTRAINT registries_url_key`.execute(db);
    await sql`CREATE UNIQUE INDEX registries_shared_url ON registries (url) WHERE owner_id IS NULL`.execute(db);
    await sql`CREATE UNIQUE INDEX registries_own_url ON registries (owner_id, url) WHERE owner_id IS NOT NULL`.execute(
      db,
    );
    await sql`CREATE TABLE registry_credentials (
      registry_id integer PRIMARY KEY REFERENCES registries ON DELETE CASCADE,
      type text NOT NULL CHECK (type IN ('bearer', 'basic', 'header')),
      key_id text NOT NULL,
      sealed bytea NOT NULL,
      changed_at timestamptz NOT NULL DEFAULT now())`.execute(db);
  },
};
