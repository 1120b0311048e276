import { type Kysely, type Migration, sql } from 'kysely';

const EVENTS = [
  sql`create table events (
      sequence bigint generated always as identity primary key,
      id uuid not null unique default gen_random_uuid(),
      registry_id integer not null references registries on delete cascade,
      subscription_id uuid references subscriptions on delete cascade,
      at timestamptz not null,
      type text not null,
      app_key text collate "C",
      version text,
      data jsonb not null)`,
  sql`create index on events (registry_id, sequence)`,
  sql`create index on events (registry_id, app_key, sequence) where app_key is not null`,
  sql`create index on events (at)`,
  // The first event that a subscription sees.
  sql`create unique index on events (subscription_id) where subscription_id is not null and type = 'subscribed'`,
  sql`insert into events (registry_id, subscription_id, at, type, data)
      select registry_id, id, created_at, 'subscribed', jsonb_build_object('official', official) from subscriptions
      order by created_at`,
];

const STATES = [
  sql`alter table registries
      add column checked_event_at timestamptz,
      add column checked_event_outcome text,
      add column certificates jsonb`,
  sql`alter table apps add column hidden boolean not null default false`,
  sql`update apps set hidden = true where not listed or (visible is false and failing_since is null)`,
  sql`alter table versions add column served_checksum text`,
];

/** The history of registries, and what it is compared with. */
export const events: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of [...EVENTS, ...STATES]) await statement.execute(db);
  },
};
