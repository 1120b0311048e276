import { type Kysely, type Migration, sql } from 'kysely';

/** Random ids of audit entries: a counter of all organizations would reveal how much others do. */
export const auditKeys: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`ALTER TABLE audit_entries RENAME COLUMN id TO sequence`.execute(db);
    await sql`ALTER TABLE audit_entries ADD COLUMN id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid()`.execute(db);
  },
};
