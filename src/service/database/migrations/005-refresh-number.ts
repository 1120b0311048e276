import { type Kysely, type Migration, sql } from 'kysely';

/** Outcomes of an earlier refresh do not replace those of a later one (refresh/claim-store.ts). */
export const refreshNumber: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`ALTER TABLE registries
      ADD COLUMN refresh_number integer NOT NULL DEFAULT 0,
      ADD COLUMN requests integer NOT NULL DEFAULT 0`.execute(db);
  },
};
