import { type Kysely, type Migration, sql } from 'kysely';

/** Up to which event a subscription with credentials sees the history of the shared row, which it left. */
export const sharedUntil: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`ALTER TABLE subscriptions ADD COLUMN shared_until bigint`.execute(db);
  },
};
