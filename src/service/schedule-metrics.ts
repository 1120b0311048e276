import { type Kysely, sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from './storage/tables.ts';

interface Schedule {
  registries: number;
  failing: number;
  overdue: number;
  late: number;
}

/** Metrics of the schedule across all nodes: read from the database at each scrape. */
export function watchSchedule(registry: Registry, db: Kysely<Database>): void {
  const asked: { at: number; schedule: Promise<Schedule> | null } = { at: 0, schedule: null };
  /** One query for all metrics of a scrape. */
  function schedule(): Promise<Schedule> {
    if (asked.schedule !== null && performance.now() - asked.at < 500) return asked.schedule;
    asked.at = performance.now();
    asked.schedule = scheduleIn(db);
    return asked.schedule;
  }
  for (const [figure, name, help] of FIGURES) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // The node's own metrics are reported even if the database is down.
        const known = await schedule().catch(() => null);
        gauge.set(known === null ? Number.NaN : known[figure]);
      },
    });
  }
}

const FIGURES: [keyof Schedule, string, string][] = [
  ['registries', 'appreg_registries', 'Registries with a subscriber.'],
  [
    'failing',
    'appreg_registries_failing',
    'Registries with a subscriber whose manifest could not be used at the last check.',
  ],
  ['overdue', 'appreg_registries_overdue', 'Registries with a subscriber that are due and wait for a worker.'],
  ['late', 'appreg_registries_overdue_seconds', 'For how long the one that waits longest has been due.'],
];

async function scheduleIn(db: Kysely<Database>): Promise<Schedule> {
  const { rows } = await sql<Schedule>`
    select count(*)::int as registries,
      (count(*) filter (where failing_since is not null))::int as failing,
      (count(*) filter (where next_check_at <= now()))::int as overdue,
      greatest(0, extract(epoch from now() - min(next_check_at)))::float8 as late
    from registries
    where exists (select from subscriptions where registry_id = registries.id)`.execute(db);
  return rows[0]!;
}
