import { type Kysely, type Migration, sql } from 'kysely';

const TOKENS = [
  sql`CREATE TABLE tokens (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
      name text NOT NULL,
      scope text NOT NULL CHECK (scope IN ('read', 'manage', 'admin')),
      hash bytea NOT NULL UNIQUE,
      created_at timestamptz NOT NULL DEFAULT now(),
      secret_since timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz,
      last_used_at timestamptz)`,
  sql`CREATE INDEX ON tokens (organization_id, created_at, id)`,
  sql`INSERT INTO tokens (organization_id, name, scope, hash, created_at, secret_since)
      SELECT id, 'First token', 'admin', token_hash, token_since, token_since FROM organizations`,
  sql`ALTER TABLE sessions ADD COLUMN token_id uuid REFERENCES tokens ON DELETE CASCADE`,
  sql`UPDATE sessions SET token_id = tokens.id FROM tokens WHERE tokens.organization_id = sessions.organization_id`,
  sql`ALTER TABLE sessions ALTER COLUMN token_id SET NOT NULL`,
  sql`CREATE INDEX ON sessions (token_id)`,
  sql`ALTER TABLE organizations DROP COLUMN token_hash, DROP COLUMN token_since,
      ADD COLUMN suspended_at timestamptz`,
  sql`CREATE INDEX ON organizations (created_at, id)`,
];

/** Entries outlive their organization: its deletion is one. */
const AUDIT = [
  sql`CREATE TABLE audit_entries (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
  sql`CREATE INDEX ON audit_entries (organization_id, id)`,
  sql`CREATE INDEX ON audit_entries (at)`,
];

const WEBHOOKS = [
  sql`CREATE TABLE webhooks (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
      url text NOT NULL,
      events text[],
      key_id text,
      secret bytea NOT NULL,
      enabled boolean NOT NULL DEFAULT TRUE,
      disabled_reason text,
      created_at timestamptz NOT NULL DEFAULT now(),
      failing_since timestamptz,
      dropped integer NOT NULL DEFAULT 0)`,
  sql`CREATE INDEX ON webhooks (organization_id, created_at, id)`,
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

/** Several tokens per organization, the audit log, and webhooks with their deliveries. */
export const tokensAuditWebhooks: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...TOKENS, ...AUDIT, ...WEBHOOKS]) await statement.execute(db);
  },
};
