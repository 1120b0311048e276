import { sql } from 'kysely';

/** Statements of authors about their apps and versions. */
export const ABOUT = [
  sql`CREATE TABLE about_files (
      registry_id integer NOT NULL,
      app_key text COLLATE "C" NOT NULL,
      url text NOT NULL,
      etag text,
      last_modified text,
      content bytea NOT NULL,
      fields jsonb NOT NULL,
      PRIMARY KEY (registry_id, app_key),
      FOREIGN KEY (registry_id, app_key) REFERENCES apps ON DELETE CASCADE)`,
  sql`CREATE TABLE about_versions (
      registry_id integer NOT NULL,
      app_key text COLLATE "C" NOT NULL,
      version text NOT NULL,
      published text,
      notes text,
      deprecated jsonb,
      PRIMARY KEY (registry_id, app_key, version),
      FOREIGN KEY (registry_id, app_key, version) REFERENCES versions ON DELETE CASCADE)`,
];

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

/**
 * Decisions of the policies of subscriptions about versions. A subscription with a policy is offered only versions with
 * a decision, so that a new version is held back until the policy was applied to it. Versions are deleted meanwhile,
 * and their decisions at the end of a check.
 */
export const POLICIES = [
  sql`CREATE TABLE policy_decisions (
      subscription_id uuid NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      registry_id integer NOT NULL,
      app_key text COLLATE "C" NOT NULL,
      version text NOT NULL,
      checksum text NOT NULL,
      cause text,
      line text,
      offered_at timestamptz,
      PRIMARY KEY (subscription_id, registry_id, app_key, version),
      CHECK ((cause IS NULL) = (line IS NULL)),
      CHECK (cause IS NOT NULL OR offered_at IS NOT NULL))`,
];
