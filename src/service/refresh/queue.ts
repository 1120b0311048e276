import { sql } from 'kysely';
import { PgBoss } from 'pg-boss';
import type { Service } from '../context.ts';
import type { Db } from '../storage/open.ts';
import { dropOrphanedIcons } from './app-rows.ts';
import { type JobWorkers, startJobWorkers } from './job-worker.ts';
import { refreshRegistry } from './refresh.ts';
import type { RefreshContext } from './run.ts';

/**
 * The jobs of all nodes, in PostgreSQL (pg-boss). When a registry is due stands in its own row; a job is no more than the
 * word that it is. So a job that is lost, comes twice or comes late does no harm.
 */

export interface Queue {
  /** @see Service.requestRefresh */
  requestRefresh(registryId: number): Promise<void>;
  /** Hands back what is under way, and takes nothing more. */
  stop(): Promise<void>;
}

export type QueueContext = RefreshContext & Pick<Service, 'stopping'>;

const REFRESH = 'refresh';
/** Those that took long the last time. However many they are, they hold up nobody but each other. */
const REFRESH_SLOW = 'refresh-slow';
const SWEEP = 'sweep';
const TIDY = 'tidy';

/** Seconds between two looks at what is due. */
const SWEEP_EVERY = 5;
const SWEPT_AT_ONCE = 5000;
/** Seconds without a sign of life after which another node takes a job up. */
const HEARTBEAT = 20;
const WATCH_EVERY = 10;
/** Milliseconds between two looks for jobs that others have asked for. */
const POLL_EVERY = 2000;
/** Milliseconds that what is under way may take to let go. */
const STOP_WITHIN = 10_000;
/** Milliseconds until a registry is tried again that our own fault kept from being looked at. */
const AFTER_CRASH = 900_000;

/** Starts the queue on one node; it works on jobs where the node has the role. */
export async function openQueue(context: QueueContext, databaseUrl: string): Promise<Queue> {
  const { settings, db, log } = context;
  const isWorker = settings.roles.includes('worker');
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'appreg',
    max: isWorker ? 4 + Math.ceil(settings.concurrency / 4) : 2,
    supervise: isWorker,
    schedule: isWorker,
    superviseIntervalSeconds: WATCH_EVERY,
    monitorIntervalSeconds: WATCH_EVERY,
    maintenanceIntervalSeconds: 60,
  });
  boss.on('error', (error) => log('warn', 'queue-trouble', { error }));
  await boss.start();
  let hands: readonly JobWorkers[] = [];
  try {
    await makeQueues(boss, settings.limits.refresh);
    if (isWorker) {
      hands = await startWorkers(boss, context);
      // What a node left behind is taken up at once, also where none lives for long.
      void boss.supervise().then(
        () => hands.forEach((pair) => pair.wake()),
        (error: unknown) => log('warn', 'queue-trouble', { error }),
      );
    }
  } catch (error) {
    await boss.stop({ graceful: false });
    throw error;
  }
  return {
    async requestRefresh(registryId) {
      await requestRefresh(boss, db, registryId);
      // Somebody waits for it: whoever is free here need not wait for the next poll.
      for (const pair of hands) pair.wake();
    },
    async stop() {
      const until = Date.now() + STOP_WITHIN;
      await Promise.all(hands.map((pair) => pair.stop(STOP_WITHIN)));
      await boss.stop({ graceful: true, timeout: Math.max(1000, until - Date.now()) });
    },
  };
}

async function makeQueues(boss: PgBoss, milliseconds: number): Promise<void> {
  const short = { retentionSeconds: 3600, deleteAfterSeconds: 60 };
  for (const name of [REFRESH, REFRESH_SLOW])
    await boss.createQueue(name, {
      ...short,
      // One job of a registry, whether it waits or runs, on all nodes together.
      policy: 'exclusive',
      heartbeatSeconds: HEARTBEAT,
      expireInSeconds: Math.ceil(milliseconds / 1000) + 60,
      retryLimit: 5,
    });
  // One that waits; the one that runs asks for the next.
  await boss.createQueue(SWEEP, { ...short, policy: 'short', expireInSeconds: 60, retryLimit: 0 });
  await boss.createQueue(TIDY, { ...short, policy: 'short', expireInSeconds: 600, retryLimit: 0 });
}

async function startWorkers(boss: PgBoss, context: QueueContext): Promise<JobWorkers[]> {
  const { settings, db, log } = context;
  const hands: JobWorkers[] = [];
  await boss.work(SWEEP, { pollingIntervalSeconds: 1 }, async () => {
    try {
      await enqueueDue(boss, db);
      for (const pair of hands) pair.wake();
    } finally {
      if (!context.stopping.aborted) await boss.send(SWEEP, {}, { startAfter: SWEEP_EVERY });
    }
  });
  await boss.work(TIDY, { pollingIntervalSeconds: 60 }, async () => dropOrphanedIcons(db));
  // Should the node that swept have been killed meanwhile, the next minute begins anew.
  await boss.schedule(SWEEP, '* * * * *');
  await boss.schedule(TIDY, '23 3 * * *');
  await boss.send(SWEEP, {});
  // Last, since nobody would stop them if another part did not start.
  const slow = Math.ceil(settings.concurrency / 4);
  for (const [name, most] of [[REFRESH, settings.concurrency] as const, [REFRESH_SLOW, slow] as const])
    hands.push(
      startJobWorkers<{ id: number }>(boss, name, {
        most,
        pollEvery: POLL_EVERY,
        beatEvery: (HEARTBEAT * 1000) / 2,
        act: ({ id }, lost) => refreshJob(context, id, lost),
        onTrouble: (error) => log('warn', 'queue-trouble', { error }),
      }),
    );
  return hands;
}

/** Due registries that somebody is subscribed to, the longest due first. What is queued already stays as it is. */
async function enqueueDue(boss: PgBoss, db: Db): Promise<void> {
  const due = await db
    .selectFrom('registries')
    .where('nextCheckAt', '<=', sql<Date>`now()`)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('subscriptions').whereRef('registryId', '=', 'registries.id').select('id')),
    )
    .orderBy('nextCheckAt')
    .limit(SWEPT_AT_ONCE)
    .select(['id', 'slow'])
    .execute();
  for (const name of [REFRESH, REFRESH_SLOW]) {
    const jobs = due
      .filter(({ slow }) => slow === (name === REFRESH_SLOW))
      .map(({ id }) => ({ data: { id }, singletonKey: String(id) }));
    if (jobs.length > 0) await boss.insert(name, jobs);
  }
}

/** Makes a registry due, and asks for it first; one that waits or runs already serves as well. */
async function requestRefresh(boss: PgBoss, db: Db, registryId: number): Promise<void> {
  const row = await db
    .updateTable('registries')
    .set({ nextCheckAt: sql`least(next_check_at, now())` })
    .where('id', '=', registryId)
    .returning('slow')
    .executeTakeFirst();
  await boss.send(
    row?.slow ? REFRESH_SLOW : REFRESH,
    { id: registryId },
    { singletonKey: String(registryId), priority: 1 },
  );
}

/** @throws where the node is told to stop, so that the job goes to another one */
async function refreshJob(context: QueueContext, id: number, lost: AbortSignal): Promise<void> {
  const { db, log, metrics, stopping } = context;
  metrics.refreshing.inc();
  try {
    const outcome = await refreshRegistry(context, id, AbortSignal.any([stopping, lost]));
    if (outcome === 'handed-back') throw new HandedBack();
  } catch (error) {
    if (error instanceof HandedBack || stopping.aborted) throw error;
    log('error', 'refresh-crashed', { registry: id, error });
    await db
      .updateTable('registries')
      .set({ nextCheckAt: new Date(Date.now() + AFTER_CRASH) })
      .where('id', '=', id)
      .execute();
  } finally {
    metrics.refreshing.dec();
  }
}

class HandedBack extends Error {
  constructor() {
    super('handed back');
  }
}
