import { sql } from 'kysely';
import type { Db } from './database.ts';
import { HAS_SUBSCRIBERS } from './sql-fragments.ts';

/** What operators watch, of all nodes together. */
export interface Figures {
  /** Registries with a subscriber, and those of them whose manifest could not be used at the last check. */
  registries: number;
  failing: number;
  /** Those that are due, and the seconds for which the longest overdue one has been. */
  overdue: number;
  overdueSeconds: number;
  /** Listed versions whose bytes did not match, or could not be fetched. */
  refused: number;
  /** Deliveries to webhooks that are due, and the seconds for which the longest overdue one has been. */
  deliveries: number;
  deliverySeconds: number;
  /** Webhooks whose deliveries fail. */
  failingWebhooks: number;
}

/** Reads all figures in one query, so that they are of one moment. */
export async function readFigures(db: Db): Promise<Figures> {
  const { rows } = await sql<Figures>`
    SELECT schedule.*, refused.*, delivery.*, webhook.*
    FROM (
      SELECT count(*)::int AS registries,
        (count(*) FILTER (WHERE failing_since IS NOT NULL))::int AS failing,
        (count(*) FILTER (WHERE next_check_at <= now()))::int AS overdue,
        coalesce(greatest(0, extract(epoch FROM now() - min(next_check_at))), 0)::float8 AS overdue_seconds
      FROM registries WHERE ${HAS_SUBSCRIBERS}) AS schedule,
    (
      SELECT count(*)::int AS refused FROM versions WHERE state = 'refused' AND withdrawn_at IS NULL) AS refused,
    (
      SELECT count(*)::int AS deliveries,
        coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float8 AS delivery_seconds
      FROM webhook_deliveries WHERE state = 'pending' AND next_attempt_at <= now()) AS delivery,
    (
      SELECT count(*)::int AS failing_webhooks FROM webhooks WHERE failing_since IS NOT NULL) AS webhook`.execute(db);
  const [figures] = rows;
  if (figures === undefined) throw new Error('An aggregate query returned no row.');
  return figures;
}
