import { sql, type Migration, type Kysely } from 'kysely';
import { ABOUT, ATTESTATIONS, POLICIES } from './version-tables.ts';

/** All tables; the files of rows in database/ say what their columns mean. */

/**
 * Ids in order of creation: UUID version 7 (RFC 9562) with microseconds. A list continues after an id whose row was
 * deleted. A database whose tables were dropped still has the function.
 */
const IDS = [
  sql`CREATE OR REPLACE FUNCTION time_ordered_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
      SELECT (lpad(to_hex(microseconds / 1000), 12, '0') || '7' || lpad(to_hex(microseconds % 1000), 3, '0')
        || substring(gen_random_uuid()::text FROM 20))::uuid
      FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds) AS clock $$`,
];

const ORGANIZATIONS = [
  sql`CREATE TABLE organizations (
      id uuid PRIMARY KEY DEFAULT time_ordered_uuid(),
      name text NOT NULL,
      idempotency_key text UNIQUE,
      created_at timestamptz NOT NULL DEFAULT now(),
      suspended_at timestamptz)`,
  sql`CREATE TABLE tokens (
      id uuid PRIMARY KEY DEFAULT time_ordered_uuid(),
      organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
      name text NOT NULL,
      scope text NOT NULL CHECK (scope IN ('read', 'manage', 'admin')),
      hash bytea NOT NULL UNIQUE,
      created_at timestamptz NOT NULL DEFAULT now(),
      secret_since timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz,
      last_used_at timestamptz)`,
  sql`CREATE INDEX ON tokens (organization_id, id)`,
  sql`CREATE TABLE sessions (
      hash bytea PRIMARY KEY,
      organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
      token_id uuid NOT NULL REFERENCES tokens ON DELETE CASCADE,
      expires_at timestamptz NOT NULL)`,
  sql`CREATE INDEX ON sessions (expires_at)`,
  sql`CREATE INDEX ON sessions (token_id)`,
  // Entries outlive their organization: its deletion is one.
  sql`CREATE TABLE audit_entries (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
      organization_id uuid NOT NULL,
      at timestamptz NOT NULL DEFAULT now(),
      actor_type text NOT NULL,
      token_id uuid,
      token_name text,
      address text,
      action text NOT NULL,
      target_id text,
      target_name text,
      outcome text NOT NULL,
      details jsonb NOT NULL DEFAULT '{}')`,
  sql`CREATE INDEX ON audit_entries (organization_id, sequence)`,
  sql`CREATE INDEX ON audit_entries (at)`,
];

const REGISTRIES = [
  sql`CREATE TABLE registries (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      url text NOT NULL,
      owner_id uuid REFERENCES organizations ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      checked_at timestamptz,
      good_at timestamptz,
      failing_since timestamptz,
      failures integer NOT NULL DEFAULT 0,
      unauthorized boolean NOT NULL DEFAULT FALSE,
      next_check_at timestamptz NOT NULL DEFAULT now(),
      artifacts_requested_at timestamptz,
      requests integer NOT NULL DEFAULT 0,
      refresh_number integer NOT NULL DEFAULT 0,
      resume_after text,
      slow boolean NOT NULL DEFAULT FALSE,
      progress jsonb,
      unchanged_token text,
      errors integer NOT NULL DEFAULT 0,
      warnings integer NOT NULL DEFAULT 0,
      symptoms jsonb,
      report bytea,
      manifest bytea,
      certificates jsonb,
      checked_event_at timestamptz,
      checked_event_outcome text)`,
  sql`CREATE UNIQUE INDEX registries_shared_url ON registries (url) WHERE owner_id IS NULL`,
  sql`CREATE UNIQUE INDEX registries_own_url ON registries (owner_id, url) WHERE owner_id IS NOT NULL`,
  sql`CREATE INDEX ON registries (next_check_at)`,
  // Without a reference: a job of a registry that was deleted ends without a refresh. Not part of a backup.
  sql`CREATE TABLE refresh_jobs (
      registry_id integer PRIMARY KEY,
      sequence bigint GENERATED ALWAYS AS IDENTITY,
      slow boolean NOT NULL,
      priority integer NOT NULL DEFAULT 0,
      run_at timestamptz NOT NULL DEFAULT now(),
      claim uuid,
      claimed_until timestamptz)`,
  sql`CREATE INDEX ON refresh_jobs (slow, priority DESC, sequence)`,
  sql`CREATE TABLE registry_credentials (
      registry_id integer PRIMARY KEY REFERENCES registries ON DELETE CASCADE,
      type text NOT NULL CHECK (type IN ('bearer', 'basic', 'header')),
      key_id text NOT NULL,
      sealed bytea NOT NULL,
      changed_at timestamptz NOT NULL DEFAULT now())`,
  sql`CREATE TABLE subscriptions (
      id uuid PRIMARY KEY DEFAULT time_ordered_uuid(),
      organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
      registry_id integer NOT NULL REFERENCES registries,
      name text NOT NULL,
      official boolean NOT NULL DEFAULT FALSE,
      shared_until bigint,
      created_at timestamptz NOT NULL DEFAULT now(),
      registry_since timestamptz NOT NULL DEFAULT now(),
      confirmed_at timestamptz,
      check_requested_at timestamptz,
      refused_at timestamptz,
      attestations text NOT NULL DEFAULT 'off' CHECK (attestations IN ('off', 'report', 'require')),
      attestation_signer jsonb,
      policy json,
      UNIQUE (organization_id, registry_id),
      CHECK ((attestations = 'off') = (attestation_signer IS NULL)))`,
  sql`CREATE INDEX ON subscriptions (registry_id)`,
  sql`CREATE INDEX ON subscriptions (registry_id) WHERE confirmed_at IS NULL`,
];

const APPS = [
  sql`CREATE TABLE icons (
      sha256 bytea PRIMARY KEY,
      type text NOT NULL,
      bytes bytea NOT NULL)`,
  sql`CREATE TABLE apps (
      registry_id integer NOT NULL REFERENCES registries ON DELETE CASCADE,
      key text COLLATE "C" NOT NULL,
      position integer NOT NULL,
      name text NOT NULL,
      description text NOT NULL,
      color text,
      icon bytea REFERENCES icons,
      icon_fragment text NOT NULL DEFAULT '',
      fields jsonb NOT NULL DEFAULT '{}',
      listed boolean NOT NULL,
      visible boolean,
      because text[] NOT NULL DEFAULT '{}',
      latest text,
      failing_since timestamptz,
      remembered bytea,
      hidden boolean NOT NULL DEFAULT FALSE,
      PRIMARY KEY (registry_id, key))`,
  sql`CREATE INDEX ON apps (icon)`,
  sql`CREATE INDEX ON apps (registry_id) WHERE listed`,
  sql`CREATE INDEX ON apps (registry_id, key) WHERE listed AND latest IS NOT NULL
      AND (visible IS NOT FALSE OR failing_since IS NOT NULL)`,
  sql`CREATE TABLE versions (
      registry_id integer NOT NULL,
      app_key text COLLATE "C" NOT NULL,
      version text NOT NULL,
      artifact_url text NOT NULL,
      artifact_checksum text NOT NULL,
      first_seen_at timestamptz NOT NULL DEFAULT now(),
      state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'verified', 'refused')),
      rule text,
      reason text,
      verified_at timestamptz,
      tried_at timestamptz,
      bytes bigint,
      swapped_checksum text,
      served_checksum text,
      withdrawn_at timestamptz,
      lost_at timestamptz,
      keep_after timestamptz,
      validators jsonb,
      asked_at timestamptz,
      PRIMARY KEY (registry_id, app_key, version),
      FOREIGN KEY (registry_id, app_key) REFERENCES apps ON DELETE CASCADE)`,
  sql`CREATE INDEX versions_asked ON versions (registry_id, asked_at NULLS FIRST)
      WHERE state = 'verified' AND withdrawn_at IS NULL`,
  // Refused versions are counted at every scrape of the metrics.
  sql`CREATE INDEX ON versions (registry_id) WHERE state = 'refused' AND withdrawn_at IS NULL`,
  // A subscriber waits for their bytes.
  sql`CREATE INDEX versions_keep_after_idx ON versions (keep_after) WHERE keep_after IS NOT NULL`,
  // Their host has lost the artifact.
  sql`CREATE INDEX versions_lost_at_idx ON versions (registry_id) WHERE lost_at IS NOT NULL`,
];

/** The verified bytes that the service keeps: files by digest, and the registries that have delivered them. */
const ARTIFACTS = [
  sql`CREATE TABLE artifacts (
      store text NOT NULL,
      sha256 bytea NOT NULL,
      bytes bigint NOT NULL,
      part_digests bytea NOT NULL,
      reserved_at timestamptz NOT NULL DEFAULT now(),
      stored_at timestamptz,
      used_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (store, sha256))`,
  sql`CREATE TABLE kept_artifacts (
      store text NOT NULL,
      sha256 bytea NOT NULL,
      registry_id integer NOT NULL REFERENCES registries ON DELETE CASCADE,
      PRIMARY KEY (registry_id, store, sha256),
      FOREIGN KEY (store, sha256) REFERENCES artifacts ON DELETE CASCADE)`,
  sql`CREATE INDEX ON kept_artifacts (store, sha256)`,
];

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
  sql`CREATE TABLE webhooks (
      id uuid PRIMARY KEY DEFAULT time_ordered_uuid(),
      organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
      url text NOT NULL,
      url_key_id text,
      sealed_url bytea,
      events text[],
      key_id text,
      secret bytea NOT NULL,
      enabled boolean NOT NULL DEFAULT TRUE,
      disabled_reason text,
      created_at timestamptz NOT NULL DEFAULT now(),
      failing_since timestamptz,
      dropped integer NOT NULL DEFAULT 0)`,
  sql`CREATE INDEX ON webhooks (organization_id, id)`,
  sql`CREATE TABLE webhook_deliveries (
      sequence bigint NOT NULL UNIQUE GENERATED ALWAYS AS IDENTITY,
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
      type text NOT NULL,
      body text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'cancelled')),
      attempts integer NOT NULL DEFAULT 0,
      claim integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz NOT NULL DEFAULT now(),
      last_attempt_at timestamptz,
      status integer,
      error text,
      finished_at timestamptz)`,
  sql`CREATE INDEX ON webhook_deliveries (webhook_id, next_attempt_at, sequence) WHERE state = 'pending'`,
  sql`CREATE INDEX ON webhook_deliveries (webhook_id, sequence)`,
  sql`CREATE INDEX ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL`,
];

/** An empty table, in which each node tests that it can write. Compressed, a row would not fill a page. */
const WRITE_PROBE = [
  sql`CREATE TABLE write_probe (filler text NOT NULL)`,
  sql`ALTER TABLE write_probe ALTER COLUMN filler SET STORAGE PLAIN`,
];

export const baseline: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [
      ...IDS,
      ...ORGANIZATIONS,
      ...REGISTRIES,
      ...APPS,
      ...ABOUT,
      ...ATTESTATIONS,
      ...POLICIES,
      ...ARTIFACTS,
      ...EVENTS,
      ...WRITE_PROBE,
    ])
      await statement.execute(db);
    // Names for people: independent of case and script, and numbers by their value. A PostgreSQL that was built without
    // ICU orders names by code point.
    const { rows } = await sql`SELECT FROM pg_collation WHERE collprovider = 'i' LIMIT 1`.execute(db);
    const definition = rows.length > 0 ? sql`(provider = icu, locale = 'und-u-kn-true')` : sql`FROM "C"`;
    await sql`CREATE COLLATION IF NOT EXISTS natural_order ${definition}`.execute(db);
  },
};
