import { collectDefaultMetrics } from 'prom-client';
import { startEmbeddedPostgres } from './storage/embedded/server.ts';
import { awaitDatabase } from './storage/await-database.ts';
import { migrate } from './storage/migrations/migrate.ts';
import { openDatabase } from './storage/database.ts';
import type { Service } from './context.ts';
import { outboundOptions } from './refresh/address-policy.ts';
import { openQueue } from './worker/queue.ts';
import { webApp } from './web-app.ts';
import { listen } from './http/listen.ts';
import type { Log } from './log.ts';
import { openMetrics } from './metrics.ts';
import { watchSchedule } from './schedule-metrics.ts';
import type { Settings } from './config/settings.ts';

/** Milliseconds to wait for a PostgreSQL server. */
const DATABASE_TIMEOUT = 30_000;

export interface Running {
  /** The URL of the service, with a trailing slash. */
  url: string;
  /** Takes no new work, completes running work within a limit, and releases all resources. */
  stop(): Promise<void>;
}

/**
 * Starts one node of the service: database, tables, queue, web server. If a part fails to start, the previous ones are
 * stopped.
 * @throws AppregError for errors that an operator can fix
 */
export async function startService(settings: Settings, log: Log): Promise<Running> {
  const stops: (() => Promise<unknown>)[] = [];
  const stopping = new AbortController();
  const stop = async (): Promise<void> => {
    stopping.abort();
    for (const undo of stops.splice(0).toReversed())
      await undo().catch((error: unknown) => log('error', 'stop-failed', { error }));
  };
  try {
    const databaseUrl = settings.databaseUrl ?? (await startOwnDatabase(settings.dataFolder, stops));
    await awaitDatabase(databaseUrl, DATABASE_TIMEOUT, (reason) => log('warn', 'waiting-for-database', { reason }));
    const { db } = openDatabase(databaseUrl, Math.min(settings.concurrency, 30) + 10, (error) =>
      log('warn', 'connection-lost', { error: error.message }),
    );
    stops.push(() => db.destroy());
    await migrate(db);
    const metrics = openMetrics();
    collectDefaultMetrics({ register: metrics.registry });
    watchSchedule(metrics.registry, db);
    const ports: number[] = [];
    const outbound = outboundOptions(settings, log, () => ports);
    const base = { settings, db, log, metrics, outbound, stopping: stopping.signal };
    const queue = await openQueue({ ...base, now: () => new Date(), random: Math.random }, databaseUrl);
    stops.push(queue.stop);
    const service: Service = {
      ...base,
      requestRefresh: queue.requestRefresh,
    };
    const { url, close } = await listen(settings, webApp(service).fetch);
    stops.push(close);
    ports.push(Number(new URL(url).port || 80));
    log('info', 'started', { url, roles: settings.roles });
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startOwnDatabase(folder: string, stops: (() => Promise<unknown>)[]): Promise<string> {
  const { url, stop } = await startEmbeddedPostgres(folder);
  stops.push(stop);
  return url;
}
