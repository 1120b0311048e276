import { type Service } from '../context.ts';
import { type RefreshContext } from '../refresh/plan.ts';
import { type DatabaseUrl, openDatabase, type Db } from '../db/database.ts';
import { makeDue } from '../db/registries.ts';
import {
  addJob,
  addDueJobs,
  type JobClaim,
  claimJobs,
  renewClaims,
  endJobs,
  releaseJobs,
  CLAIM_SECONDS,
} from '../db/jobs.ts';
import { type JobWorkers, startJobWorkers } from './workers.ts';
import { deleteOrphanedIcons } from '../db/icons.ts';
import { deleteOldEvents } from '../db/events.ts';
import { deleteOldAuditEntries } from '../db/audit.ts';
import { deleteOldDeliveries } from '../db/deliveries.ts';
import { refreshRegistry } from '../refresh/refresh.ts';
import { postponeRefresh } from '../db/claims.ts';

/**
 * The jobs of all nodes, in PostgreSQL. The due time of a registry is stored in its own row; a job only signals it. So a
 * job that is lost, duplicated or late does no harm.
 */

export interface Queue {
  /** @see Service.requestRefresh */
  requestRefresh: Service['requestRefresh'];
  /** Releases running jobs, and takes no new ones. */
  stop(): Promise<void>;
}

type QueueContext = RefreshContext & Pick<Service, 'stopping' | 'database'>;

/** Milliseconds between two queries for due registries. */
const SWEEP_INTERVAL = 5000;
const SWEEP_LIMIT = 5000;
/** Connections for jobs: a claim is renewed in time, however many statements of refreshes wait. */
const CONNECTIONS = 2;
/** Milliseconds between two polls for jobs of other nodes. */
const POLL_INTERVAL = 2000;
/** Milliseconds that running jobs have to stop. */
const STOP_TIMEOUT = 10_000;
/** Seconds between two refreshes of a registry, however often they are requested. */
const MIN_REFRESH_INTERVAL = 5;
/** Milliseconds by which a refresh may exceed its limit. */
const REFRESH_MARGIN = 60_000;
/** Milliseconds until a registry is retried after an internal error, and after one of the database. */
const CRASH_DELAY = 900_000;
const FAULT_DELAY = 30_000;
/** Milliseconds for which the end of a job waits for the database; then another node takes over the job. */
const SETTLE_TIMEOUT = 60_000;

/** Starts the queue on one node; the node processes jobs if it has the role. */
export async function openQueue(context: QueueContext, url: DatabaseUrl): Promise<Queue> {
  const { settings, db } = context;
  const worker = settings.roles.includes('worker') ? await startWorker(context, url) : null;
  return {
    async requestRefresh(registryId, { priority } = { priority: 1 }) {
      const { slow, wait } = await makeDue(db, registryId, MIN_REFRESH_INTERVAL);
      await addJob(db, { registryId, slow, priority, wait });
      // The requester is waiting: idle workers on this node do not wait for the next poll.
      worker?.wake();
    },
    async stop() {
      await worker?.stop();
    },
  };
}

/** Processes jobs, adds those of due registries, and deletes old rows. */
async function startWorker(context: QueueContext, url: DatabaseUrl): Promise<{ wake(): void; stop(): Promise<void> }> {
  const { database } = context;
  const jobs = openDatabase(url, CONNECTIONS, (error) => database.report(error)).db;
  try {
    await addDueJobs(jobs, SWEEP_LIMIT);
  } catch (error) {
    await jobs.destroy();
    throw error;
  }
  const workers = [false, true].map((slow) => startRefreshes(context, jobs, slow));
  const wake = (): void => workers.forEach((one) => one.wake());
  let sweeping: Promise<void> | null = null;
  function sweep(): void {
    if (database.fault() !== null) return;
    sweeping ??= addDueJobs(jobs, SWEEP_LIMIT)
      .then(wake, (error: unknown) => logError(context, error))
      .finally(() => (sweeping = null));
  }
  const sweeps = setInterval(sweep, SWEEP_INTERVAL);
  const tidying = startTidying(context);
  // Jobs that were left in the queue, and registries that became due in the meantime.
  database.onRecovery(() => {
    if (context.stopping.aborted) return;
    wake();
    sweep();
  });
  return {
    wake,
    async stop() {
      clearInterval(sweeps);
      tidying.stop();
      await Promise.all([sweeping, ...workers.map((one) => one.stop(STOP_TIMEOUT))]).finally(() => jobs.destroy());
    },
  };
}

function logError({ database, log }: QueueContext, error: unknown): void {
  if (database.report(error) === null) log('warn', 'queue-error', { error });
}

/** Processes the jobs of registries whose last refresh was slow, or of the others: slow ones only delay each other. */
function startRefreshes(context: QueueContext, jobs: Db, slow: boolean): JobWorkers {
  const { settings, database, stopping } = context;
  return startJobWorkers<JobClaim>(
    {
      claim: (limit) => claimJobs(jobs, slow, limit),
      renew: (claims) => renewClaims(jobs, claims),
      end: (claims) => endJobs(jobs, claims),
      release: (claims) => releaseJobs(jobs, claims),
    },
    {
      concurrency: settings.concurrency,
      pollInterval: POLL_INTERVAL,
      renewInterval: (CLAIM_SECONDS * 1000) / 2,
      longest: settings.limits.refresh + REFRESH_MARGIN,
      isPaused: () => database.fault() !== null,
      process: ({ registryId }, lost) => refreshJob(context, registryId, lost),
      canRetry: async (error) =>
        database.report(error) !== null && !stopping.aborted && database.waitUntilAvailable(SETTLE_TIMEOUT),
      onError: (error) => logError(context, error),
    },
  );
}

/** Milliseconds after the start of a node, at least and at most, and between two runs from then on. */
const FIRST_TIDYING = { from: 600_000, to: 3_600_000 };
const TIDY_INTERVAL = 24 * 3_600_000;

/** Deletes what is no longer used or kept: icons, old events, audit entries, deliveries of webhooks. */
function startTidying(context: QueueContext): { stop(): void } {
  const { db, random } = context;
  async function tidy(): Promise<void> {
    await deleteOrphanedIcons(db);
    await deleteOldEvents(db);
    await deleteOldAuditEntries(db);
    await deleteOldDeliveries(db);
  }
  const run = (): void => void tidy().catch((error: unknown) => logError(context, error));
  let timer: NodeJS.Timeout;
  // Nodes that started together do not delete the same rows together.
  const wait = FIRST_TIDYING.from + random() * (FIRST_TIDYING.to - FIRST_TIDYING.from);
  timer = setTimeout(() => {
    run();
    timer = setInterval(run, TIDY_INTERVAL);
  }, wait);
  return { stop: () => clearTimeout(timer) };
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
