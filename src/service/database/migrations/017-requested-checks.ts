import { type Kysely, type Migration, sql } from 'kysely';

/** An organization sees the checks that it requested, and not those of others. */
export const requestedChecks: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`ALTER TABLE subscriptions ADD COLUMN check_requested_at timestamptz`.execute(db);
  },
};
