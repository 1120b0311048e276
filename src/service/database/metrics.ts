import { Gauge, type Registry } from 'prom-client';
import type { DatabaseMonitor } from './monitor.ts';
import type { Db } from './database.ts';
import { type Figures, readFigures } from './figures.ts';
import { within } from '../within.ts';

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
