import { sql } from 'kysely';

/** The attestations of versions, and what each subscription that requires them was offered. */
export const ATTESTATIONS = [
  sql`CREATE TABLE attestations (
      registry_id integer NOT NULL,
      app_key text COLLATE "C" NOT NULL,
      version text NOT NULL,
      key_sha256 text NOT NULL,
      checksum text NOT NULL,
      state text NOT NULL CHECK (state IN ('proven', 'unproven', 'absent', 'unknown', 'url-signed')),
      facts jsonb,
      asked_at timestamptz NOT NULL,
      PRIMARY KEY (registry_id, app_key, version, key_sha256),
      FOREIGN KEY (registry_id, app_key, version) REFERENCES versions ON DELETE CASCADE)`,
  sql`CREATE TABLE attestation_decisions (
      subscription_id uuid NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      app_key text COLLATE "C" NOT NULL,
      version text NOT NULL,
      checksum text NOT NULL,
      decision text NOT NULL CHECK (decision IN ('held', 'attested', 'offered-before')),
      held_since timestamptz,
      PRIMARY KEY (subscription_id, app_key, version))`,
];
