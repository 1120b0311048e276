import { Gauge, type Registry } from 'prom-client';
import type { Db } from './storage/database.ts';
import { type ScheduleFigures, scheduleFigures } from './storage/registries.ts';

const GAUGES: { figure: keyof ScheduleFigures; name: string; help: string }[] = [
  { figure: 'registries', name: 'appreg_registries', help: 'Registries with a subscriber.' },
  {
    figure: 'failing',
    name: 'appreg_registries_failing',
    help: 'Registries with a subscriber whose manifest could not be used at the last check.',
  },
  {
    figure: 'overdue',
    name: 'appreg_registries_overdue',
    help: 'Registries with a subscriber that are due and waiting for a worker.',
  },
  {
    figure: 'overdueSeconds',
    name: 'appreg_registries_overdue_seconds',
    help: 'Waiting time of the registry that has been due the longest.',
  },
];

/** Milliseconds within which all metrics are of the same scrape. */
const SCRAPE = 500;

/** Metrics of the schedule across all nodes: read from the database at each scrape, in one query. */
export function watchSchedule(registry: Registry, db: Db): void {
  let last: { at: number; figures: Promise<ScheduleFigures> } | null = null;
  function figuresOfScrape(): Promise<ScheduleFigures> {
    if (last === null || performance.now() - last.at >= SCRAPE)
      last = { at: performance.now(), figures: scheduleFigures(db) };
    return last.figures;
  }
  for (const { figure, name, help } of GAUGES) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // The node's own metrics are reported even if the database is down.
        const figures = await figuresOfScrape().catch(() => null);
        gauge.set(figures === null ? Number.NaN : figures[figure]);
      },
    });
  }
}
