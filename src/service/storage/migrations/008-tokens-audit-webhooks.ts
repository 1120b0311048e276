import { type Kysely, type Migration, sql } from 'kysely';

const TOKENS = [
  sql`create table tokens (
      id uuid primary key default gen_random_uuid(),
      organization_id uuid not null references organizations on delete cascade,
      name text not null,
      scope text not null check (scope in ('read', 'manage', 'admin')),
      hash bytea not null unique,
      created_at timestamptz not null default now(),
      secret_since timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz)`,
  sql`create index on tokens (organization_id, created_at, id)`,
  sql`insert into tokens (organization_id, name, scope, hash, created_at, secret_since)
      select id, 'First token', 'admin', token_hash, token_since, token_since from organizations`,
  sql`alter table sessions add column token_id uuid references tokens on delete cascade`,
  sql`update sessions s set token_id = t.id from tokens t where t.organization_id = s.organization_id`,
  sql`alter table sessions alter column token_id set not null`,
  sql`create index on sessions (token_id)`,
  sql`alter table organizations drop column token_hash, drop column token_since,
      add column suspended_at timestamptz`,
  sql`create index on organizations (created_at, id)`,
];

/** Entries outlive their organization: its deletion is one. */
const AUDIT = [
  sql`create table audit_entries (
      id bigint generated always as identity primary key,
      organization_id uuid not null,
      at timestamptz not null default now(),
      actor_type text not null,
      token_id uuid,
      token_name text,
      address text,
      action text not null,
      target_id text,
      target_name text,
      outcome text not null,
      details jsonb not null default '{}')`,
  sql`create index on audit_entries (organization_id, id)`,
  sql`create index on audit_entries (at)`,
];

const WEBHOOKS = [
  sql`create table webhooks (
      id uuid primary key default gen_random_uuid(),
      organization_id uuid not null references organizations on delete cascade,
      url text not null,
      events text[],
      key_id text,
      secret bytea not null,
      enabled boolean not null default true,
      disabled_reason text,
      created_at timestamptz not null default now(),
      failing_since timestamptz,
      dropped integer not null default 0)`,
  sql`create index on webhooks (organization_id, created_at, id)`,
  sql`create table webhook_deliveries (
      sequence bigint not null unique generated always as identity,
      id uuid primary key default gen_random_uuid(),
      webhook_id uuid not null references webhooks on delete cascade,
      type text not null,
      body text not null,
      created_at timestamptz not null default now(),
      state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'cancelled')),
      attempts integer not null default 0,
      claim integer not null default 0,
      next_attempt_at timestamptz not null default now(),
      last_attempt_at timestamptz,
      status integer,
      error text,
      finished_at timestamptz)`,
  sql`create index on webhook_deliveries (webhook_id, next_attempt_at, sequence) where state = 'pending'`,
  sql`create index on webhook_deliveries (webhook_id, sequence)`,
  sql`create index on webhook_deliveries (finished_at) where finished_at is not null`,
];

/** Several tokens per organization, the audit log, and webhooks with their deliveries. */
export const tokensAuditWebhooks: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...TOKENS, ...AUDIT, ...WEBHOOKS]) await statement.execute(db);
  },
};
