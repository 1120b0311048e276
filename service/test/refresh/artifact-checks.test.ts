import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { refreshNow } from '../../src/actions/subscriptions.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  delayed,
  type FaultHost,
  inTurn,
  openFaultHost,
  reset,
  silent,
  tagged,
} from '../../../test/support/fault-host.ts';
import { serveEqualVersions } from '../../../test/support/equal-versions.ts';
import { archive, gzipped } from '../../../test/support/live-registry.ts';
import { type RefreshHarness, openRefreshHarness } from './refresh-harness.ts';

/** Artifacts whose listing does not change: swapped, deleted, restored; and what asking for them costs. */

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
});
afterEach(() => host.close());

const ONE = archive('one');
const GZIP = { 'Content-Type': 'application/gzip', ...CORS };
/** The same length as ONE, and other bytes. */
const OTHER = Buffer.from(ONE.map((byte, i) => (i === ONE.length - 12 ? byte ^ 1 : byte)));

function withTag(bytes: Buffer, tag?: string): Behaviour {
  return tagged(bytes, GZIP, tag);
}

const serve = (artifact: Behaviour = withTag(ONE), count = 1): string => serveEqualVersions(host, ONE, artifact, count);

const rows = (id: number) =>
  harness.db.selectFrom('versions').where('registryId', '=', id).selectAll().orderBy('version').execute();

/** The states of the versions, and the rules of the errors. */
async function seen(id: number): Promise<{ states: string[]; errors: string[] }> {
  const states = (await rows(id)).map(({ state, rule }) => (rule === null ? state : `${state} ${rule}`));
  const { findings } = await harness.report(id);
  return { states, errors: findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule) };
}
const GOOD = { states: ['verified'], errors: [] };

const artifactRequests = (): string[] =>
  host.requests
    .filter(({ path, headers }) => path.endsWith('.tar.gz') && headers['origin'] === undefined)
    .map(({ method, path, headers }) => `${method}${headers['if-none-match'] ? ' conditional' : ''} ${path}`);

/** A subscriber requests a check, which then runs. */
async function checkNow(id: number, hours = 0): Promise<void> {
  const { organizationId, id: subscription } = await harness.db
    .selectFrom('subscriptions')
    .where('registryId', '=', id)
    .selectAll()
    .executeTakeFirstOrThrow();
  const service = {
    db: harness.db,
    async requestRefresh() {
      const due = { nextCheckAt: new Date(0) };
      await harness.db.updateTable('registries').set(due).where('id', '=', id).execute();
    },
  };
  expect(await refreshNow(service, organizationId, subscription, { type: 'operator' } as never)).toBe(true);
  host.requests.length = 0;
  expect(['good', 'problems']).toContain(await harness.refresh(id, hours));
}

async function verified(artifact?: Behaviour, count?: number): Promise<number> {
  const id = await harness.add(serve(artifact, count));
  expect(await harness.refresh(id)).toBe('good');
  return id;
}

describe('a check that was requested', () => {
  test.each<[string, Behaviour, Behaviour, string]>([
    ['other bytes', withTag(ONE), withTag(archive('swapped')), 'refused artifact-checksum-mismatch'],
    ['other bytes of the same length', withTag(ONE), withTag(OTHER), 'refused artifact-checksum-mismatch'],
    [
      'other bytes with the same entity tag and another length',
      withTag(ONE, '"same"'),
      withTag(archive('of another length, which no compression hides: 0123456789'), '"same"'),
      'refused artifact-checksum-mismatch',
    ],
    [
      'other bytes with the same time and another length',
      gzipped(ONE, { 'Last-Modified': 'Mon, 05 Jan 2026 00:00:00 GMT' }),
      gzipped(archive('another length'), { 'Last-Modified': 'Mon, 05 Jan 2026 00:00:00 GMT' }),
      'refused artifact-checksum-mismatch',
    ],
    [
      'other bytes of the same length, without validators',
      gzipped(ONE),
      gzipped(OTHER),
      'refused artifact-checksum-mismatch',
    ],
    [
      'other bytes, of a host that refuses HEAD',
      byMethod({ GET: withTag(ONE), HEAD: answer({ status: 405 }) }),
      byMethod({ GET: withTag(OTHER), HEAD: answer({ status: 405 }) }),
      'refused artifact-checksum-mismatch',
    ],
    ['a 404', withTag(ONE), answer({ status: 404 }), 'refused unreachable'],
    ['a 410', withTag(ONE), answer({ status: 410 }), 'refused unreachable'],
    ['a 403', withTag(ONE), answer({ status: 403 }), 'refused unreachable'],
  ])('finds %s, and the restored artifact afterwards', async (_, before, after, state) => {
    const id = await verified(before);
    host.on('/0.tar.gz', after);
    await checkNow(id);
    const [rule] = state.split(' ').slice(1);
    expect(await seen(id)).toEqual({ states: [state], errors: [rule] });
    // It stays refused while it is not restored, whether a check was requested or not.
    expect(await harness.refresh(id, 1.1)).toBe('problems');
    expect(await seen(id)).toEqual({ states: [state], errors: [rule] });
    host.on('/0.tar.gz', before);
    expect(await harness.refresh(id, 2.2)).toBe('good');
    expect(await seen(id)).toEqual(GOOD);
  });

  test('sends one HEAD for each of hundreds of artifacts, and reads no body', async () => {
    const id = await verified(withTag(ONE), 300);
    await harness.refresh(id, 1.1);
    await checkNow(id, 2.2);
    expect(new Set(artifactRequests().map((request) => request.split(' ')[0]))).toEqual(new Set(['HEAD']));
    expect(artifactRequests()).toHaveLength(300);
    expect(host.peak).toBeLessThanOrEqual(8);
    const line = harness.lines.findLast((one) => one.includes('"registry-refreshed"'))!;
    expect(JSON.parse(line)).toMatchObject({ unchanged: true, artifacts: 0, bytes: 0 });
    host.on('/123.tar.gz', answer({ status: 404 }));
    await checkNow(id, 2.3);
    expect((await seen(id)).states.filter((state) => state !== 'verified')).toEqual(['refused unreachable']);
  });

  test('sends a conditional request if the host refuses HEAD, and then no further HEAD', async () => {
    const id = await verified(byMethod({ GET: withTag(ONE), HEAD: answer({ status: 501 }) }), 40);
    await checkNow(id);
    const requests = artifactRequests();
    expect(requests.filter((request) => request.startsWith('GET conditional'))).toHaveLength(40);
    expect(requests.filter((request) => request.startsWith('HEAD')).length).toBeLessThanOrEqual(32);
    expect(requests.filter((request) => request.startsWith('GET /'))).toEqual([]);
    expect(await seen(id)).toEqual({ states: Array(40).fill('verified'), errors: [] });
  });

  test('verifies an artifact again by one download if only its entity tag changed', async () => {
    const id = await verified(withTag(ONE, '"a"'));
    for (const tag of ['"b"', '"c"']) {
      host.on('/0.tar.gz', withTag(ONE, tag));
      await checkNow(id);
      expect(artifactRequests()).toEqual(['HEAD /0.tar.gz', 'GET /0.tar.gz']);
      await checkNow(id);
      expect(artifactRequests()).toEqual(['HEAD /0.tar.gz']);
      expect(await seen(id)).toEqual(GOOD);
    }
    // The servers of one host may send different tags for the same bytes.
    host.on('/0.tar.gz', withTag(ONE, '"b"'));
    await checkNow(id);
    expect(artifactRequests()).toEqual(['HEAD /0.tar.gz']);
  });

  test('compares entity tags weakly', async () => {
    const id = await verified(withTag(ONE, '"a"'));
    host.on('/0.tar.gz', withTag(ONE, 'W/"a"'));
    await checkNow(id);
    expect(artifactRequests()).toEqual(['HEAD /0.tar.gz']);
  });

  test('downloads once if the response to HEAD differs from that to GET', async () => {
    const id = await verified(byMethod({ GET: withTag(ONE), HEAD: answer({ headers: { ...GZIP, ETag: '"head"' } }) }));
    await checkNow(id);
    // Further requests find out what the difference depends on.
    expect(artifactRequests().slice(0, 2)).toEqual(['HEAD /0.tar.gz', 'GET /0.tar.gz']);
    await checkNow(id);
    expect(artifactRequests()).toEqual(['HEAD /0.tar.gz']);
    expect((await seen(id)).states).toEqual(['verified']);
  });

  test.each<[string, Behaviour]>([
    ['status 500', answer({ status: 500 })],
    ['a reset', reset()],
    ['a timeout', silent()],
  ])('reports %s, keeps the version offered, and is clean once the host answers', async (_, behaviour) => {
    const id = await verified();
    host.on('/0.tar.gz', behaviour);
    await checkNow(id);
    expect(await seen(id)).toEqual({ states: ['verified'], errors: ['unreachable'] });
    host.on('/0.tar.gz', withTag(ONE));
    host.requests.length = 0;
    expect(await harness.refresh(id, 1.1)).toBe('good');
    expect(artifactRequests()).toEqual(['HEAD /0.tar.gz']);
    expect(await seen(id)).toEqual(GOOD);
  });

  test('ignores a single error', async () => {
    const id = await verified();
    host.on('/0.tar.gz', inTurn(answer({ status: 500 }), withTag(ONE)));
    await checkNow(id);
    expect(await seen(id)).toEqual(GOOD);
  });

  test.each<[string, () => Behaviour]>([
    ['refused for now', () => answer({ status: 503 })],
    ['not sent', silent],
  ])('reads the documents of a host whose artifacts are %s', { timeout: 60_000 }, async (_, failing) => {
    const id = await verified(withTag(ONE), 4);
    for (const { artifactUrl } of (await rows(id)).slice(1)) host.on(new URL(artifactUrl).pathname, failing());
    await checkNow(id);
    expect(host.requests.map(({ path }) => path)).toContain('/registry.json');
    expect((await seen(id)).states).toEqual(Array(4).fill('verified'));
  });

  test('that arrives during another check follows it', async () => {
    const id = await verified();
    await checkNow(id);
    host.on('/0.tar.gz', delayed(300, withTag(ONE)));
    const due = { nextCheckAt: new Date(0), artifactsRequestedAt: new Date() };
    await harness.db.updateTable('registries').set(due).where('id', '=', id).execute();
    const running = harness.refresh(id, 0);
    await expect.poll(() => host.requestsFor('/0.tar.gz', 'HEAD').length).toBe(2);
    const { artifactsRequestedAt } = due;
    await harness.db.updateTable('registries').set({ artifactsRequestedAt }).where('id', '=', id).execute();
    await running;
    const { nextCheckAt } = await harness.db
      .selectFrom('registries')
      .where('id', '=', id)
      .select('nextCheckAt')
      .executeTakeFirstOrThrow();
    expect(nextCheckAt.getTime()).toBeLessThanOrEqual(Date.now() + 10_000);
    await harness.db
      .updateTable('registries')
      .set({ nextCheckAt: new Date(0) })
      .where('id', '=', id)
      .execute();
    host.on('/0.tar.gz', answer({ status: 404 }));
    expect(await harness.refresh(id)).toBe('problems');
  });
});

test('a version whose entry lost its URL is not offered, as the report says', async () => {
  const id = await verified(withTag(ONE), 2);
  const versions = (await rows(id)).map(({ version, artifactUrl, artifactChecksum }) => ({
    version,
    ...(version === '1.0.0' && { artifactUrl }),
    artifactChecksum,
  }));
  host.on('/a.json', tagged(JSON.stringify({ versions })));
  await checkNow(id, 1.1);
  expect((await harness.report(id)).apps).toMatchObject([{ key: 'a', visible: true, latest: '1.0.0' }]);
  const app = harness.db.selectFrom('apps').where('registryId', '=', id).select(['visible', 'latest']);
  expect(await app.executeTakeFirstOrThrow()).toEqual({ visible: true, latest: '1.0.0' });
});

test('a refresh stores how far it has got, and removes it at the end', async () => {
  const id = await harness.add(serve(withTag(ONE), 5));
  const inParts: Behaviour = async ({ method }, socket) => {
    const type = 'Content-Type: application/gzip\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *';
    socket.write(`HTTP/1.1 200 OK\r\n${type}\r\nContent-Length: ${ONE.length}\r\n\r\n`);
    if (method !== 'GET') return;
    // Slowly, until the test has seen the progress.
    let at = 0;
    while (!progress.isSeen && at < ONE.length - 1) {
      await sleep(200);
      socket.write(ONE.subarray(at, (at += 1)));
    }
    socket.write(ONE.subarray(at));
  };
  const progress = { isSeen: false };
  for (const index of [3, 4]) host.on(`/${index}.tar.gz`, inParts);
  const stored = async () =>
    (await harness.db.selectFrom('registries').where('id', '=', id).select('progress').executeTakeFirstOrThrow())
      .progress;
  const running = harness.refresh(id);
  await expect.poll(stored).toEqual({ apps: { total: 1, read: 1 }, artifacts: { total: 5, verified: 3 } });
  progress.isSeen = true;
  expect(await running).toMatch(/^(good|problems)$/);
  expect(await stored()).toBeNull();
});
