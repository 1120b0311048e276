import { type Registry, Gauge } from 'prom-client';
import { type Db } from './database.ts';
import { type DatabaseMonitor } from './monitor.ts';
import { within } from '../time-limits.ts';
import { sql } from 'kysely';
import { HAS_SUBSCRIBERS, SENDS } from './conditions.ts';

const GAUGES: { figure: keyof Figures; name: string; help: string }[] = [
  { figure: 'registries', name: 'appreg_registries', help: 'Registries with a subscriber.' },
  {
    figure: 'failing',
    name: 'appreg_registries_failing',
    help: 'Registries with a subscriber whose manifest could not be used at the last check.',
  },
  {
    figure: 'overdue',
    name: 'appreg_registries_overdue',
    help: 'Registries with a subscriber whose check is due and waiting for a worker.',
  },
  {
    figure: 'overdueSeconds',
    name: 'appreg_registries_overdue_seconds',
    help: 'How long the longest overdue registry has been waiting.',
  },
  {
    figure: 'refused',
    name: 'appreg_versions_refused',
    help: 'Listed versions that are not offered: their bytes did not match, or could not be fetched.',
  },
  {
    figure: 'deliveries',
    name: 'appreg_webhook_deliveries_due',
    help: 'Webhook deliveries that are due and waiting for a worker.',
  },
  {
    figure: 'deliverySeconds',
    name: 'appreg_webhook_deliveries_due_seconds',
    help: 'How long the longest overdue webhook delivery has been waiting.',
  },
  {
    figure: 'failingWebhooks',
    name: 'appreg_webhooks_failing',
    help: 'Webhooks whose last delivery failed.',
  },
];

/** Milliseconds within which all metrics are of the same scrape. */
const SCRAPE = 500;
/** Milliseconds for the database to respond: a scrape by Prometheus fails after ten seconds. */
const QUERY_TIMEOUT = 3_000;

/** Metrics of the database and of all nodes together: read at each scrape, in one query. */
export function registerDatabaseMetrics(registry: Registry, db: Db, database: Pick<DatabaseMonitor, 'fault'>): void {
  let last: { at: number; figures: Promise<Figures | null> } | null = null;
  function figuresOfScrape(): Promise<Figures | null> {
    if (last === null || performance.now() - last.at >= SCRAPE)
      last = { at: performance.now(), figures: figuresIfAvailable(db) };
    return last.figures;
  }
  for (const { figure, name, help } of GAUGES) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const figures = await figuresOfScrape();
        gauge.set(figures === null ? Number.NaN : figures[figure]);
      },
    });
  }
  const available: Gauge = new Gauge({
    name: 'appreg_database_available',
    help: 'Whether this node can read and write the database: 1 or 0.',
    registers: [registry],
    async collect() {
      const figures = await figuresOfScrape();
      available.set(figures !== null && database.fault() === null ? 1 : 0);
    },
  });
}

/** The node's own metrics are reported even if the database is down or does not respond: null. */
async function figuresIfAvailable(db: Db): Promise<Figures | null> {
  return within<Figures | null>(
    QUERY_TIMEOUT,
    readFigures(db).catch(() => null),
    null,
  );
}

/** Figures for operators, of all nodes together. */
interface Figures {
  /** Registries with a subscriber, and those of them whose manifest could not be used at the last check. */
  registries: number;
  failing: number;
  /** Those that are due, and the seconds for which the longest overdue one has been. */
  overdue: number;
  overdueSeconds: number;
  /** Listed versions of these registries whose bytes did not match, or could not be fetched. */
  refused: number;
  /** Deliveries to webhooks that are due, and the seconds for which the longest overdue one has been. */
  deliveries: number;
  deliverySeconds: number;
  /** Webhooks whose deliveries fail. */
  failingWebhooks: number;
}

/** Reads all figures in one query, so that they are of one moment. */
async function readFigures(db: Db): Promise<Figures> {
  const { rows } = await sql<Figures>`
    SELECT schedule.*, refused.*, delivery.*, webhook.*
    FROM (
      SELECT count(*)::int AS registries,
        (count(*) FILTER (WHERE failing_since IS NOT NULL))::int AS failing,
        (count(*) FILTER (WHERE next_check_at <= now()))::int AS overdue,
        coalesce(greatest(0, extract(epoch FROM now() - min(next_check_at))), 0)::float8 AS overdue_seconds
      FROM registries WHERE ${HAS_SUBSCRIBERS}) AS schedule,
    (
      SELECT count(*)::int AS refused FROM versions JOIN registries ON registries.id = versions.registry_id
      WHERE state = 'refused' AND withdrawn_at IS NULL AND ${HAS_SUBSCRIBERS}) AS refused,
    (
      SELECT count(*)::int AS deliveries,
        coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0)::float8 AS delivery_seconds
      FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_deliveries.webhook_id
        JOIN organizations ON organizations.id = webhooks.organization_id
      WHERE state = 'pending' AND next_attempt_at <= now() AND ${SENDS}) AS delivery,
    (
      SELECT count(*)::int AS failing_webhooks FROM webhooks WHERE failing_since IS NOT NULL) AS webhook`.execute(db);
  const [figures] = rows;
  if (figures === undefined) throw new Error('An aggregate query returned no row.');
  return figures;
}
