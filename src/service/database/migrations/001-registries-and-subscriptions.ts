import { type Kysely, type Migration, sql } from 'kysely';

const ORGANIZATIONS = [
  sql`CREATE TABLE organizations (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      name text NOT NULL,
      token_hash bytea NOT NULL UNIQUE,
      token_since timestamptz NOT NULL DEFAULT now(),
      idempotency_key text UNIQUE,
      created_at timestamptz NOT NULL DEFAULT now())`,
  sql`CREATE TABLE sessions (
      hash bytea PRIMARY KEY,
      organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
      expires_at timestamptz NOT NULL)`,
  sql`CREATE INDEX ON sessions (expires_at)`,
];

const REGISTRIES = [
  sql`CREATE TABLE registries (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      url text NOT NULL UNIQUE,
      created_at timestamptz NOT NULL DEFAULT now(),
      checked_at timestamptz,
      good_at timestamptz,
      failing_since timestamptz,
      failures integer NOT NULL DEFAULT 0,
      next_check_at timestamptz NOT NULL DEFAULT now(),
      errors integer NOT NULL DEFAULT 0,
      warnings integer NOT NULL DEFAULT 0,
      symptoms jsonb,
      report bytea,
      manifest bytea,
      resume_after text,
      slow boolean NOT NULL DEFAULT FALSE)`,
  sql`CREATE INDEX ON registries (next_check_at)`,
  sql`CREATE TABLE subscriptions (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
      registry_id integer NOT NULL REFERENCES registries,
      name text NOT NULL,
      official boolean NOT NULL DEFAULT FALSE,
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (organization_id, registry_id))`,
  sql`CREATE INDEX ON subscriptions (registry_id)`,
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
      listed boolean NOT NULL,
      visible boolean,
      because text[] NOT NULL DEFAULT '{}',
      latest text,
      failing_since timestamptz,
      remembered bytea,
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
      withdrawn_at timestamptz,
      PRIMARY KEY (registry_id, app_key, version),
      FOREIGN KEY (registry_id, app_key) REFERENCES apps ON DELETE CASCADE)`,
];

/** Organizations, registries, apps and versions. */
export const registriesAndSubscriptions: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...ORGANIZATIONS, ...REGISTRIES, ...APPS]) await statement.execute(db);
  },
};
