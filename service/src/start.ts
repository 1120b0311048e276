import { type AppregError, message } from 'appreg';
import { openServerDigestPool } from 'appreg/node';
import { type Settings, invalidSetting } from './config/settings.ts';
import { type Log } from './log.ts';
import { awaitDatabase } from './db/await-database.ts';
import { checkSecretsKeys } from './jobs/check-secrets-keys.ts';
import { openMetrics } from './metrics.ts';
import { openArtifacts } from './artifacts/keeper.ts';
import { collectDefaultMetrics } from 'prom-client';
import { registerDatabaseMetrics } from './db/metrics.ts';
import { registerStoreMetrics, openStoreState } from './artifacts/state.ts';
import { outboundOptions, openAddressPolicy } from './config/outbound.ts';
import { openQueue } from './jobs/queue.ts';
import { startArtifactFiller } from './jobs/fill-artifacts.ts';
import { startWebhookSender } from './jobs/deliver-webhooks.ts';
import { type Service } from './context.ts';
import { listen } from './http/listen.ts';
import { webApp } from './web-app.ts';
import { parseRegistryUrl } from './domain/registry-url.ts';
import { type DatabaseUrl, openDatabase, type Db, probeWrite } from './db/database.ts';
import { EventEmitter, once } from 'node:events';
import { startEmbeddedPostgres } from './db/embedded/server.ts';
import { migrate } from './db/migrations/migrate.ts';
import { DatabaseMonitor } from './db/monitor.ts';
import { watchEventLoop } from './time-limits.ts';
import { refusalOf, lastingFault } from './db/refusals.ts';
import { databaseFault } from './db/error.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds to wait for a PostgreSQL server. */
const DATABASE_TIMEOUT = 30_000;
/** Milliseconds between two attempts. */
const RETRY_INTERVAL = 500;
/** Milliseconds in which a database responds to a probe, even if it is busy. */
const PROBE_TIMEOUT = 5_000;

/** A node of the service that runs. */
export interface RunningService {
  /** The URL of the service, with a trailing slash. */
  url: string;
  /** Settled if the service cannot continue: its own PostgreSQL does not start again. Then stop it. */
  failure: Promise<AppregError>;
  /** Takes no new work, completes running work within a limit, and releases all resources. */
  stop(): Promise<void>;
}

/** Releases a resource when the service stops. They are called in reverse order. */
type Cleanup = () => Promise<unknown>;

/**
 * Starts one node of the service: database, tables, queue, web server. If a part fails to start, the previous ones are
 * stopped.
 * @throws AppregError for errors that an operator can fix
 */
export async function startService(settings: Settings, log: Log): Promise<RunningService> {
  const cleanups: Cleanup[] = [];
  const stopping = new AbortController();
  const stop = async (): Promise<void> => {
    stopping.abort();
    for (const cleanUp of cleanups.splice(0).toReversed())
      await cleanUp().catch((error: unknown) => log('error', 'stop-failed', { error }));
  };
  try {
    checkOfficialUrls(settings);
    const { url: databaseUrl, failure } = await findDatabase(settings, log, cleanups);
    const until = Date.now() + DATABASE_TIMEOUT;
    await awaitDatabase(databaseUrl, 'write', DATABASE_TIMEOUT, (reason) =>
      log('warn', 'waiting-for-database', { reason }),
    );
    await withRetries(() => migrateTables(databaseUrl), databaseUrl, until);
    const { db, database } = connect(databaseUrl, settings, log, cleanups);
    await withRetries(() => checkSecretsKeys({ db, settings, log }), databaseUrl, until);
    const metrics = openMetrics();
    const artifacts = await openArtifacts(settings, db, log, process.env, (lost) => metrics.lastCopiesLost.inc(lost));
    collectDefaultMetrics({ register: metrics.registry });
    registerDatabaseMetrics(metrics.registry, db, database);
    registerStoreMetrics(metrics.registry, artifacts, openStoreState(artifacts));
    const ports: number[] = [];
    const digestWorkers = openServerDigestPool();
    cleanups.push(async () => digestWorkers.close());
    const outbound = { ...outboundOptions(settings, log, () => ports), digestWorkers };
    const base = { settings, db, database, artifacts, log, metrics, outbound, stopping: stopping.signal };
    const context = { ...base, now: () => new Date(), random: Math.random };
    const queue = await withRetries(() => openQueue(context, databaseUrl), databaseUrl, until);
    cleanups.push(queue.stop);
    if (artifacts !== null && settings.roles.includes('worker'))
      cleanups.push(startArtifactFiller(context, artifacts).stop);
    if (settings.roles.includes('worker')) cleanups.push(startWebhookSender(base).stop);
    const service: Service = { ...base, requestRefresh: queue.requestRefresh };
    const { url, close } = await listen(settings, webApp(service).fetch);
    cleanups.push(close);
    ports.push(Number(new URL(url).port || 80));
    log('info', 'started', { url, roles: settings.roles });
    return { url, failure, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @throws AppregError `setting-invalid` if the other settings do not let organizations subscribe to these URLs */
function checkOfficialUrls(settings: Settings): void {
  const guard = openAddressPolicy({ ...settings, ownPorts: () => [] });
  const urls = { CORE_REGISTRY_URL: settings.coreRegistryUrl, COMMUNITY_REGISTRY_URL: settings.communityRegistryUrl };
  for (const [name, url] of Object.entries(urls)) {
    if (url === null) continue;
    const parsed = parseRegistryUrl(url, guard);
    if ('fault' in parsed)
      throw invalidSetting(
        message`${name} “${url}” cannot be used: ${parsed.fault}`,
        message`Change the URL, or start the service with --allow-host ${new URL(url).host}.`,
      );
  }
}

/** The server of DATABASE_URL, or the service's own, which is started. */
async function findDatabase(
  { databaseUrl, dataFolder }: Settings,
  log: Log,
  cleanups: Cleanup[],
): Promise<{ url: DatabaseUrl; failure: Promise<AppregError> }> {
  if (databaseUrl !== null) return { url: databaseUrl, failure: new Promise(() => {}) };
  const failures = new EventEmitter<{ failure: [AppregError] }>();
  const failure = once(failures, 'failure').then(([error]) => error);
  const own = await startEmbeddedPostgres(dataFolder, { log, onFailure: (error) => failures.emit('failure', error) });
  cleanups.push(own.stop);
  return { url: () => own.url, failure };
}

/** Over connections of its own, since a migration may take long. */
async function migrateTables(url: DatabaseUrl): Promise<void> {
  const { db } = openDatabase(url, 2, () => undefined, { statementTimeout: null });
  await migrate(db).finally(() => db.destroy());
}

/** The connections for requests and refreshes, and separate ones for probes, which never wait for these. */
function connect(
  url: DatabaseUrl,
  settings: Settings,
  log: Log,
  cleanups: Cleanup[],
): { db: Db; database: DatabaseMonitor } {
  const timeouts = { connectTimeout: PROBE_TIMEOUT, statementTimeout: PROBE_TIMEOUT, responseMargin: 0 };
  const probe = openDatabase(url, 1, (error) => database.report(error), timeouts);
  const eventLoop = watchEventLoop();
  const database: DatabaseMonitor = new DatabaseMonitor(
    (previous) => probeWrite(probe.db, previous === 'disk-full'),
    log,
    { eventLoop },
  );
  const { db } = openDatabase(url, Math.min(settings.concurrency, 30) + 10, (error) => database.report(error));
  cleanups.push(
    () => probe.db.destroy(),
    () => db.destroy(),
    async () => database.stop(),
    async () => eventLoop.stop(),
  );
  return { db, database };
}

/**
 * Repeats what failed because of the database: it may have been restarted.
 * @throws AppregError for what the database refuses, and for a fault that lasts
 */
async function withRetries<Result>(action: () => Promise<Result>, url: DatabaseUrl, until: number): Promise<Result> {
  for (;;)
    try {
      return await action();
    } catch (error) {
      const current = typeof url === 'string' ? url : url();
      const refusal = refusalOf(error, current);
      if (refusal !== null) throw refusal;
      if (databaseFault(error) === null) throw error;
      if (Date.now() > until) throw lastingFault(error, current);
      await sleep(RETRY_INTERVAL);
    }
}
