import { type Kysely, type Migration, sql } from 'kysely';

const EVENTS = [
  sql`CREATE TABLE events (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
      registry_id integer NOT NULL REFERENCES registries ON DELETE CASCADE,
      subscription_id uuid REFERENCES subscriptions ON DELETE CASCADE,
      at timestamptz NOT NULL,
      type text NOT NULL,
      app_key text COLLATE "C",
      version text,
      data jsonb NOT NULL)`,
  sql`CREATE INDEX ON events (registry_id, sequence)`,
  sql`CREATE INDEX ON events (registry_id, app_key, sequence) WHERE app_key IS NOT NULL`,
  sql`CREATE INDEX ON events (at)`,
  // The first event that a subscription sees.
  sql`CREATE UNIQUE INDEX ON events (subscription_id) WHERE subscription_id IS NOT NULL AND type = 'subscribed'`,
  sql`INSERT INTO events (registry_id, subscription_id, at, type, data)
      SELECT registry_id, id, created_at, 'subscribed', jsonb_build_object('official', official) FROM subscriptions
      ORDER BY created_at`,
];

const STATES = [
  sql`ALTER TABLE registries
      ADD COLUMN checked_event_at timestamptz,
      ADD COLUMN checked_event_outcome text,
      ADD COLUMN certificates jsonb`,
  sql`ALTER TABLE apps ADD COLUMN hidden boolean NOT NULL DEFAULT FALSE`,
  sql`UPDATE apps SET hidden = TRUE WHERE NOT listed OR (visible IS FALSE AND failing_since IS NULL)`,
  sql`ALTER TABLE versions ADD COLUMN served_checksum text`,
];

/** The history of registries, and what it is compared with. */
export const events: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...EVENTS, ...STATES]) await statement.execute(db);
  },
};
