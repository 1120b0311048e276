import { PgBoss } from 'pg-boss';
import type { Service } from '../context.ts';
import { type Db, openPool, type DatabaseUrl } from '../database/database.ts';
import { deleteOldAuditEntries } from '../history/audit-store.ts';
import { deleteOrphanedIcons } from '../apps/store.ts';
import { deleteOldEvents } from '../history/store.ts';
import { postponeRefresh } from '../refresh/claim-store.ts';
import { dueRegistries, makeDue } from '../registries/store.ts';
import { deleteOldDeliveries } from '../webhooks/claims-store.ts';
import { type JobWorkers, startJobWorkers } from './job-workers.ts';
import { refreshRegistry } from '../refresh/refresh.ts';
import type { RefreshContext } from '../refresh/plan.ts';

/**
 * The jobs of all nodes, in PostgreSQL (pg-boss). The due time of a registry is stored in its own row; a job only
 * signals it. So a job that is lost, duplicated or late does no harm.
 */

export interface Queue {
  /** @see Service.requestRefresh */
  requestRefresh: Service['requestRefresh'];
  /** Releases running jobs, and takes no new ones. */
  stop(): Promise<void>;
}

type QueueContext = RefreshContext & Pick<Service, 'stopping' | 'database'>;

const REFRESH = 'refresh';
/** Registries whose last refresh was slow. They only delay each other. */
const REFRESH_SLOW = 'refresh-slow';
/** Finds due registries. */
const SWEEP = 'sweep';
/** Deletes what is no longer used or kept: icons, old events, audit entries, deliveries of webhooks. */
const TIDY = 'tidy';

/** Seconds between two queries for due registries. */
const SWEEP_INTERVAL = 5;
const SWEEP_LIMIT = 5000;
/** Seconds without a heartbeat after which another node takes over a job. */
const HEARTBEAT = 20;
const SUPERVISE_INTERVAL = 10;
/** Milliseconds between two polls for jobs of other nodes. */
const POLL_INTERVAL = 2000;
/** Milliseconds that running jobs have to stop. */
const STOP_TIMEOUT = 10_000;
/** Seconds between two refreshes of a registry, however often they are requested. */
const MIN_REFRESH_INTERVAL = 5;
/** Milliseconds until a registry is retried after an internal error, and after one of the database. */
const CRASH_DELAY = 900_000;
const FAULT_DELAY = 30_000;
/** Milliseconds for which the end of a job waits for the database; then another node takes over the job. */
const SETTLE_TIMEOUT = 60_000;

/** Starts the queue on one node; the node processes jobs if it has the role. */
export async function openQueue(context: QueueContext, url: DatabaseUrl): Promise<Queue> {
  const { settings, db, database } = context;
  const isWorker = settings.roles.includes('worker');
  const size = isWorker ? 4 + Math.ceil(settings.concurrency / 4) : 2;
  const pool = openPool(url, size, (error) => database.report(error));
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    supervise: isWorker,
    schedule: isWorker,
    superviseIntervalSeconds: SUPERVISE_INTERVAL,
    monitorIntervalSeconds: SUPERVISE_INTERVAL,
    maintenanceIntervalSeconds: 60,
  });
  const onError = (error: unknown): void => logError(context, error);
  boss.on('error', onError);
  let workers: readonly JobWorkers[] = [];
  try {
    await boss.start();
    await createQueues(boss, settings.limits.refresh);
    if (isWorker) {
      workers = await startWorkers(boss, context);
      // Take over the jobs of a stopped node immediately, even if nodes are short-lived.
      void boss.supervise().then(() => workers.forEach((worker) => worker.wake()), onError);
    }
  } catch (error) {
    await boss.stop({ graceful: false }).catch(onError);
    await pool.end();
    throw error;
  }
  // Jobs that were left in the queue, and registries that became due in the meantime.
  database.onRecovery(() => {
    for (const worker of workers) worker.wake();
    if (isWorker) void sendSweep(boss).catch(onError);
  });
  return {
    async requestRefresh(registryId, { priority } = { priority: 1 }) {
      await requestRefresh(boss, db, registryId, priority);
      // The requester is waiting: idle workers on this node do not wait for the next poll.
      for (const worker of workers) worker.wake();
    },
    async stop() {
      const until = Date.now() + STOP_TIMEOUT;
      await Promise.all(workers.map((worker) => worker.stop(STOP_TIMEOUT)));
      await boss.stop({ graceful: true, timeout: Math.max(1000, until - Date.now()) }).finally(() => pool.end());
    },
  };
}

function logError({ database, log }: QueueContext, error: unknown): void {
  if (database.report(error) === null) log('warn', 'queue-error', { error });
}

async function createQueues(boss: PgBoss, refreshTimeout: number): Promise<void> {
  const short = { retentionSeconds: 3600, deleteAfterSeconds: 60 };
  for (const name of [REFRESH, REFRESH_SLOW])
    await boss.createQueue(name, {
      ...short,
      // One job per registry, queued or running, across all nodes.
      policy: 'exclusive',
      heartbeatSeconds: HEARTBEAT,
      expireInSeconds: Math.ceil(refreshTimeout / 1000) + 60,
      retryLimit: 5,
    });
  // One queued job; the running one requests the next.
  await boss.createQueue(SWEEP, { ...short, policy: 'short', expireInSeconds: 60, retryLimit: 0 });
  await boss.createQueue(TIDY, { ...short, policy: 'short', expireInSeconds: 600, retryLimit: 0 });
}

async function startWorkers(boss: PgBoss, context: QueueContext): Promise<JobWorkers[]> {
  const { settings, db, database, stopping } = context;
  const workers: JobWorkers[] = [];
  await boss.work(SWEEP, { pollingIntervalSeconds: 1 }, async () => {
    try {
      await enqueueDue(boss, db);
      for (const worker of workers) worker.wake();
    } finally {
      if (!stopping.aborted) await sendSweep(boss, SWEEP_INTERVAL);
    }
  });
  await boss.work(TIDY, { pollingIntervalSeconds: 60 }, async () => {
    await deleteOrphanedIcons(db);
    await deleteOldEvents(db);
    await deleteOldAuditEntries(db);
    await deleteOldDeliveries(db);
  });
  // If the sweeping node is killed, the next minute starts a new chain.
  await boss.schedule(SWEEP, '* * * * *');
  await boss.schedule(TIDY, '23 3 * * *');
  await sendSweep(boss);
  // Last, since the workers would not be stopped if another part failed to start.
  const queues = [
    { name: REFRESH, concurrency: settings.concurrency },
    { name: REFRESH_SLOW, concurrency: settings.concurrency },
  ];
  for (const { name, concurrency } of queues)
    workers.push(
      startJobWorkers<{ id: number }>(boss, name, {
        concurrency,
        pollInterval: POLL_INTERVAL,
        heartbeatInterval: (HEARTBEAT * 1000) / 2,
        isPaused: () => database.fault() !== null,
        process: ({ id }, lost) => refreshJob(context, id, lost),
        canRetry: async (error) =>
          database.report(error) !== null && !stopping.aborted && database.waitUntilAvailable(SETTLE_TIMEOUT),
        onError: (error) => logError(context, error),
      }),
    );
  return workers;
}

/** @param seconds until it runs */
async function sendSweep(boss: PgBoss, seconds = 0): Promise<void> {
  await boss.send(SWEEP, {}, { startAfter: seconds });
}

/** Enqueues due registries with subscribers. Jobs already queued are unchanged. */
async function enqueueDue(boss: PgBoss, db: Db): Promise<void> {
  const due = await dueRegistries(db, SWEEP_LIMIT);
  for (const name of [REFRESH, REFRESH_SLOW]) {
    const jobs = due
      .filter(({ slow }) => slow === (name === REFRESH_SLOW))
      .map(({ id }) => ({ data: { id }, singletonKey: String(id) }));
    if (jobs.length > 0) await boss.insert(name, jobs);
  }
}

/** Makes a registry due with priority; a queued or running job is sufficient. */
async function requestRefresh(boss: PgBoss, db: Db, registryId: number, priority: number): Promise<void> {
  const { slow, wait } = await makeDue(db, registryId, MIN_REFRESH_INTERVAL);
  const job = { singletonKey: String(registryId), priority, startAfter: Math.ceil(wait) };
  await boss.send(slow ? REFRESH_SLOW : REFRESH, { id: registryId }, job);
}

/** @throws if the node is stopping or the database cannot be reached: then the job is retried, on any node */
async function refreshJob(context: QueueContext, id: number, lost: AbortSignal): Promise<void> {
  const { db, database, log, metrics, stopping } = context;
  metrics.refreshing.inc();
  try {
    const outcome = await refreshRegistry(context, id, AbortSignal.any([stopping, lost]));
    if (outcome === 'released') throw new ReleasedJob();
    if (outcome === 'machine-limit') {
      log('warn', 'machine-limit', { registry: id });
      await postponeRefresh(db, id, FAULT_DELAY);
    }
  } catch (error) {
    if (error instanceof ReleasedJob || stopping.aborted) throw error;
    const fault = database.report(error);
    // The registry is due, so it is refreshed as soon as the database responds.
    if (fault === 'unreachable') throw error;
    if (fault === null) log('error', 'refresh-crashed', { registry: id, error });
    await postponeRefresh(db, id, fault === null ? CRASH_DELAY : FAULT_DELAY);
  } finally {
    metrics.refreshing.dec();
  }
}

class ReleasedJob extends Error {
  constructor() {
    super('The job was released to other nodes.');
  }
}
