import { type Kysely, type Migration, sql } from 'kysely';

/**
 * Whether the host has served the URL of a registry since an organization subscribed. Those that were good since then
 * are confirmed; the others are by their next check.
 */
const STATEMENTS = [
  sql`ALTER TABLE subscriptions
      ADD COLUMN registry_since timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN confirmed_at timestamptz,
      ADD COLUMN refused_at timestamptz`,
  sql`UPDATE subscriptions SET registry_since = created_at`,
  sql`UPDATE subscriptions SET confirmed_at = registries.good_at FROM registries
      WHERE registries.id = subscriptions.registry_id AND registries.good_at >= subscriptions.created_at`,
  // The last check was after the subscription, and failed.
  sql`UPDATE subscriptions SET refused_at = registries.checked_at FROM registries
      WHERE registries.id = subscriptions.registry_id AND subscriptions.confirmed_at IS NULL
        AND registries.failing_since IS NOT NULL AND registries.checked_at >= subscriptions.created_at`,
  sql`UPDATE registries SET next_check_at = now()
      WHERE EXISTS (SELECT FROM subscriptions WHERE registry_id = registries.id AND confirmed_at IS NULL)`,
  sql`CREATE INDEX ON subscriptions (registry_id) WHERE confirmed_at IS NULL`,
];

export const confirmedSubscriptions: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};
