import { type Kysely, type Migration, sql } from 'kysely';

const ORGANIZATIONS = [
  sql`create table organizations (
      id uuid primary key default gen_random_uuid(),
      name text not null,
      token_hash bytea not null unique,
      token_since timestamptz not null default now(),
      idempotency_key text unique,
      created_at timestamptz not null default now())`,
  sql`create table sessions (
      hash bytea primary key,
      organization_id uuid not null references organizations on delete cascade,
      expires_at timestamptz not null)`,
  sql`create index on sessions (expires_at)`,
];

const REGISTRIES = [
  sql`create table registries (
      id integer generated always as identity primary key,
      url text not null unique,
      created_at timestamptz not null default now(),
      checked_at timestamptz,
      good_at timestamptz,
      failing_since timestamptz,
      failures integer not null default 0,
      next_check_at timestamptz not null default now(),
      errors integer not null default 0,
      warnings integer not null default 0,
      symptoms jsonb,
      report bytea,
      manifest bytea,
      resume_after text,
      slow boolean not null default false)`,
  sql`create index on registries (next_check_at)`,
  sql`create table subscriptions (
      id uuid primary key default gen_random_uuid(),
      organization_id uuid not null references organizations on delete cascade,
      registry_id integer not null references registries,
      name text not null,
      official boolean not null default false,
      created_at timestamptz not null default now(),
      unique (organization_id, registry_id))`,
  sql`create index on subscriptions (registry_id)`,
];

const APPS = [
  sql`create table icons (
      sha256 bytea primary key,
      type text not null,
      bytes bytea not null)`,
  sql`create table apps (
      registry_id integer not null references registries on delete cascade,
      key text collate "C" not null,
      position integer not null,
      name text not null,
      description text not null,
      color text,
      icon bytea references icons,
      listed boolean not null,
      visible boolean,
      because text[] not null default '{}',
      latest text,
      failing_since timestamptz,
      remembered bytea,
      primary key (registry_id, key))`,
  sql`create index on apps (icon)`,
  sql`create index on apps (registry_id) where listed`,
  sql`create index on apps (registry_id, key) where listed and latest is not null
      and (visible is not false or failing_since is not null)`,
  sql`create table versions (
      registry_id integer not null,
      app_key text collate "C" not null,
      version text not null,
      artifact_url text not null,
      artifact_checksum text not null,
      first_seen_at timestamptz not null default now(),
      state text not null default 'pending' check (state in ('pending', 'verified', 'refused')),
      rule text,
      reason text,
      verified_at timestamptz,
      tried_at timestamptz,
      bytes bigint,
      swapped_checksum text,
      withdrawn_at timestamptz,
      primary key (registry_id, app_key, version),
      foreign key (registry_id, app_key) references apps on delete cascade)`,
];

/** Organizations, registries, apps and versions. */
export const registriesAndSubscriptions: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...ORGANIZATIONS, ...REGISTRIES, ...APPS]) await statement.execute(db);
  },
};
