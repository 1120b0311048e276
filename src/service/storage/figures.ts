import { sql } from 'kysely';
import type { Db } from './database.ts';
import { WANTED } from './sql-fragments.ts';

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
    select schedule.*, refused.*, delivery.*, webhook.*
    from (
      select count(*)::int as registries,
        (count(*) filter (where failing_since is not null))::int as failing,
        (count(*) filter (where next_check_at <= now()))::int as overdue,
        coalesce(greatest(0, extract(epoch from now() - min(next_check_at))), 0)::float8 as overdue_seconds
      from registries r where ${WANTED}) schedule,
    (
      select count(*)::int as refused from versions where state = 'refused' and withdrawn_at is null) refused,
    (
      select count(*)::int as deliveries,
        coalesce(extract(epoch from now() - min(next_attempt_at)), 0)::float8 as delivery_seconds
      from webhook_deliveries where state = 'pending' and next_attempt_at <= now()) delivery,
    (
      select count(*)::int as failing_webhooks from webhooks where failing_since is not null) webhook`.execute(db);
  const [figures] = rows;
  if (figures === undefined) throw new Error('An aggregate query returned no row.');
  return figures;
}
