import { type Kysely, type Migration, sql } from 'kysely';

/** The verified bytes that the service keeps: files by digest, and the registries that have delivered them. */
export const verifiedArtifacts: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create table artifacts (
      store text not null,
      sha256 bytea not null,
      bytes bigint not null,
      part_digests bytea not null,
      reserved_at timestamptz not null default now(),
      stored_at timestamptz,
      used_at timestamptz not null default now(),
      primary key (store, sha256))`.execute(db);
    await sql`create table kept_artifacts (
      store text not null,
      sha256 bytea not null,
      registry_id integer not null references registries on delete cascade,
      primary key (registry_id, store, sha256),
      foreign key (store, sha256) references artifacts on delete cascade)`.execute(db);
    await sql`create index on kept_artifacts (store, sha256)`.execute(db);
    await sql`alter table versions add column lost_at timestamptz, add column keep_after timestamptz`.execute(db);
  },
};
