import { once } from 'node:events';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Log } from '../../src/log.ts';
import { openQueue, type Queue } from '../../src/jobs/queue.ts';
import { addDueJobs, addJob, claimJobs, endJobs, type JobClaim, releaseJobs, renewClaims } from '../../src/db/jobs.ts';
import { type Settings } from '../../src/config/settings.ts';
import {
  answer,
  type Behaviour,
  delayed,
  type FaultHost,
  openFaultHost,
  silent,
  tagged,
} from '../../../test/support/fault-host.ts';
import { type RefreshHarness, openRefreshHarness } from '../refresh/refresh-harness.ts';

/** The jobs of several nodes on one database. */

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  host = await openFaultHost();
  harness = await openRefreshHarness({ concurrency: 4 });
});
afterAll(async () => {
  await host.close();
  await harness.stop();
});

interface Node {
  queue: Queue;
  stop(): Promise<void>;
}

/** @param onRefresh receives the id of each registry whose refresh ended, or was superseded */
async function startNode(more: Partial<Settings> = {}, onRefresh: (id: unknown) => void = () => {}): Promise<Node> {
  const stopping = new AbortController();
  const log: Log = (level, event, fields) => {
    if (['registry-refreshed', 'refresh-superseded'].includes(event)) onRefresh(fields?.['registry']);
    harness.context.log(level, event, fields);
  };
  const settings = { ...harness.context.settings, ...more };
  const context = { ...harness.context, log, settings, stopping: stopping.signal };
  const queue = await openQueue({ ...context, now: () => new Date() }, harness.database.url);
  return {
    queue,
    async stop() {
      stopping.abort();
      await queue.stop();
    },
  };
}

const checkedCount = async (ids: readonly number[]): Promise<number> => {
  const rows = await harness.db
    .selectFrom('registries')
    .where('id', 'in', ids)
    .where('checkedAt', 'is not', null)
    .select('id')
    .execute();
  return rows.length;
};

const empty = (name: string): string => JSON.stringify({ apps: {}, name });

describe('two nodes', () => {
  test('refresh each registry once, and a silent or huge registry does not delay the others', async () => {
    const silentOne = await harness.add(host.on('/silent.json', silent()));
    const apps = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [
        `app-${i}`,
        {
          name: 'A',
          description: 'D',
          blockStyle: { iconUrl: `${host.origin}/none.svg`, color: '#000000' },
          appMetadataUrl: `${host.origin}/slow-${i}.json`,
        },
      ]),
    );
    const huge = await harness.add(host.on('/huge.json', tagged(JSON.stringify({ apps }))));
    host.on('/none.svg', answer({ status: 404 }));
    for (let i = 0; i < 3000; i += 1) host.on(`/slow-${i}.json`, delayed(500, answer({ status: 404 })));
    const ids = await Promise.all(
      Array.from({ length: 50 }, (_, i) => harness.add(host.on(`/r${i}.json`, tagged(empty(`r${i}`))))),
    );
    const refreshed: unknown[] = [];
    const onRefresh = (id: unknown): void => void refreshed.push(id);
    const nodes = await Promise.all([startNode({}, onRefresh), startNode({}, onRefresh)]);
    try {
      // A busy machine takes long; the huge registry takes longer.
      await expect.poll(() => checkedCount(ids), { timeout: 60_000, interval: 200 }).toBe(50);
      expect(await checkedCount([huge])).toBe(0);
      // Not the requests: one that gets no answer in time is repeated.
      await expect.poll(() => refreshed.filter((id) => ids.includes(Number(id))).length).toBeGreaterThanOrEqual(50);
      expect(new Set(refreshed).size).toBe(refreshed.length);
      // The refresh of the silent registry ends as well.
      await expect.poll(() => checkedCount([silentOne]), { timeout: 60_000, interval: 200 }).toBe(1);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
    // The running job was handed back, and is due as before.
    expect(await checkedCount([huge])).toBe(0);
    await harness.db.deleteFrom('subscriptions').where('registryId', 'in', [silentOne, huge]).execute();
  }, 150_000);

  test('never refresh a registry concurrently, even after several requests', async () => {
    let inFlight = 0;
    let most = 0;
    const body = tagged(empty('busy'));
    const id = await harness.add(
      host.on('/busy.json', async (request, socket) => {
        if (request.method !== 'GET' || request.headers['origin'] || request.headers['if-none-match'])
          return body(request, socket);
        inFlight += 1;
        most = Math.max(most, inFlight);
        await delayed(400, body)(request, socket);
        inFlight -= 1;
      }),
    );
    const nodes = await Promise.all([startNode(), startNode({ roles: ['web'] }), startNode()]);
    try {
      for (let i = 0; i < 20; i += 1) await nodes[i % 3]!.queue.requestRefresh(id);
      await expect.poll(() => checkedCount([id])).toBe(1);
      expect(most).toBe(1);
      const { nextCheckAt } = await harness.db
        .selectFrom('registries')
        .where('id', '=', id)
        .select('nextCheckAt')
        .executeTakeFirstOrThrow();
      await nodes[1].queue.requestRefresh(id);
      await expect
        .poll(
          async () =>
            (
              await harness.db
                .selectFrom('registries')
                .where('id', '=', id)
                .select('nextCheckAt')
                .executeTakeFirstOrThrow()
            ).nextCheckAt > nextCheckAt,
        )
        .toBe(true);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
  }, 60_000);

  test('take over the jobs of a killed node, once its claim ends', async () => {
    const id = await harness.add(host.on('/orphan.json', tagged(empty('orphan'))));
    const later = await harness.add(host.on('/later.json', tagged(empty('later'))));
    await claimLikeKilledNode(id);
    const other = await startNode();
    try {
      // The node has claimed what it could.
      await expect.poll(() => checkedCount([later])).toBe(1);
      expect(await checkedCount([id])).toBe(0);
      await endClaimOf(id);
      await expect.poll(() => checkedCount([id])).toBe(1);
    } finally {
      await other.stop();
    }
  }, 70_000);
});

/** Claims the job of a registry, and never ends it. */
async function claimLikeKilledNode(id: number): Promise<JobClaim> {
  await addJob(harness.db, { registryId: id, slow: false, priority: 0, wait: 0 });
  const [claim] = await claimJobs(harness.db, false, 1);
  expect(claim?.registryId).toBe(id);
  return claim!;
}

/** As if the time of the claim had passed. */
async function endClaimOf(id: number): Promise<void> {
  await sql`update refresh_jobs set claimed_until = now() where registry_id = ${id}`.execute(harness.db);
}

test('a node takes over old jobs of killed nodes when it starts', async () => {
  const id = await harness.add(host.on('/left.json', tagged(empty('left'))));
  await claimLikeKilledNode(id);
  await endClaimOf(id);
  const node = await startNode();
  try {
    await expect.poll(() => checkedCount([id]), { interval: 100 }).toBe(1);
  } finally {
    await node.stop();
  }
}, 30_000);

describe('a job', () => {
  test('is claimed by one node at a time, and a claim that was replaced changes nothing', async () => {
    const first = await claimLikeKilledNode(-1);
    await endClaimOf(-1);
    const [second] = await claimJobs(harness.db, false, 1);
    expect(second).toMatchObject({ registryId: -1 });
    expect(second!.id).not.toBe(first.id);
    expect(await claimJobs(harness.db, false, 1)).toEqual([]);
    expect(await renewClaims(harness.db, [first, second!])).toEqual(new Set([second!.id]));
    await releaseJobs(harness.db, [first]);
    await endJobs(harness.db, [first]);
    expect(await claimJobs(harness.db, false, 1)).toEqual([]);
    await releaseJobs(harness.db, [second!]);
    const [third] = await claimJobs(harness.db, false, 1);
    await endJobs(harness.db, [third!]);
    await endClaimOf(-1);
    expect(await claimJobs(harness.db, false, 1)).toEqual([]);
  });

  test('is claimed by priority, then age, and not before its time', async () => {
    const jobs = [
      { registryId: -2, priority: 0, wait: 0 },
      { registryId: -3, priority: 1, wait: 0 },
      { registryId: -4, priority: -1, wait: 0 },
      { registryId: -5, priority: 0, wait: 0 },
      { registryId: -6, priority: 1, wait: 100 },
    ];
    for (const job of jobs) await addJob(harness.db, { ...job, slow: false });
    const order: number[] = [];
    for (let i = 0; i < jobs.length; i++) {
      const claims = await claimJobs(harness.db, false, 1);
      order.push(...claims.map(({ registryId }) => registryId));
    }
    expect(order).toEqual([-3, -2, -5, -4]);
    await sql`delete from refresh_jobs where registry_id < 0`.execute(harness.db);
  });

  test('is added once, also by many nodes at once', async () => {
    const id = await harness.add(host.on('/added.json', tagged(empty('added'))));
    await Promise.all([
      ...Array.from({ length: 10 }, () => addDueJobs(harness.db, 100)),
      ...Array.from({ length: 10 }, () => addJob(harness.db, { registryId: id, slow: false, priority: 1, wait: 0 })),
    ]);
    const rows = await sql`select from refresh_jobs where registry_id = ${id}`.execute(harness.db);
    expect(rows.rows).toHaveLength(1);
    await sql`delete from refresh_jobs`.execute(harness.db);
  });
});

test('slow registries delay only other slow registries', async () => {
  const released = new AbortController();
  const heldBack: Behaviour = async (request, socket) => {
    if (!released.signal.aborted) await once(released.signal, 'abort');
    await answer({ status: 404 })(request, socket);
  };
  const slow = await Promise.all(Array.from({ length: 8 }, (_, i) => harness.add(host.on(`/long${i}.json`, heldBack))));
  await harness.db.updateTable('registries').set({ slow: true }).where('id', 'in', slow).execute();
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, i) => harness.add(host.on(`/quick${i}.json`, tagged(empty(`quick${i}`))))),
  );
  const node = await startNode({ concurrency: 2 });
  try {
    await expect.poll(() => checkedCount(ids), { interval: 100 }).toBe(12);
    expect(await checkedCount(slow)).toBeLessThan(8);
    released.abort();
    await expect.poll(() => checkedCount(slow), { interval: 200 }).toBe(8);
    const rows = await harness.db.selectFrom('registries').where('id', 'in', slow).select('slow').execute();
    // Those that were held back may have taken too long.
    expect(rows.filter((row) => row.slow).length).toBeLessThanOrEqual(2);
  } finally {
    await node.stop();
  }
}, 60_000);

test('a registry without a subscription is not refreshed', async () => {
  const id = await harness.add(host.on('/unsubscribed.json', tagged(empty('unsubscribed'))));
  await harness.db.deleteFrom('subscriptions').where('registryId', '=', id).execute();
  const other = await harness.add(host.on('/subscribed.json', tagged(empty('subscribed'))));
  const node = await startNode();
  try {
    await expect.poll(() => checkedCount([other])).toBe(1);
    expect(host.requestsFor('/unsubscribed.json')).toEqual([]);
  } finally {
    await node.stop();
  }
}, 30_000);
