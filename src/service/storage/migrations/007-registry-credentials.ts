import { type Kysely, type Migration, sql } from 'kysely';

/** A registry with credentials has an owner, and is not shared. */
export const registryCredentials: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table registries
      add column owner_id uuid references organizations on delete cascade,
      add column unauthorized boolean not null default false,
      drop constraint registries_url_key`.execute(db);
    await sql`create unique index registries_shared_url on registries (url) where owner_id is null`.execute(db);
    await sql`create unique index registries_own_url on registries (owner_id, url) where owner_id is not null`.execute(
      db,
    );
    await sql`create table registry_credentials (
      registry_id integer primary key references registries on delete cascade,
      type text not null check (type in ('bearer', 'basic', 'header')),
      key_id text not null,
      sealed bytea not null,
      changed_at timestamptz not null default now())`.execute(db);
  },
};
