import { type Kysely, type Migration, sql } from 'kysely';

/** Outcomes of an earlier refresh do not replace those of a later one (registry-claim.ts). */
export const refreshNumber: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table registries
      add column refresh_number integer not null default 0,
      add column requests integer not null default 0`.execute(db);
  },
};
