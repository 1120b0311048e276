import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { type Service } from '../../src/context.ts';
import { openQueue, type Queue } from '../../src/jobs/queue.ts';
import { subscribeOfficial, type SubscribeOutcome, subscribe } from '../../src/actions/subscribe.ts';
import {
  answer,
  CORS,
  type FaultHost,
  openFaultHost,
  raw,
  redirect,
  silent,
} from '../../../test/support/fault-host.ts';
import { putRegistry } from '../../../test/support/live-registry.ts';
import { addOrganization } from '../database-fixture.ts';
import { type RefreshHarness, openRefreshHarness } from '../refresh/refresh-harness.ts';

/** Subscribing, with a worker that refreshes. */

let harness: RefreshHarness;
let queue: Queue;
let host: FaultHost;
let service: Service;
const stopping = new AbortController();
beforeAll(async () => {
  harness = await openRefreshHarness();
  const context = { ...harness.context, now: () => new Date(), stopping: stopping.signal };
  queue = await openQueue(context, harness.database.url);
  service = {
    ...context,
    outbound: { ...context.outbound, subscribeTimeout: 8000 },
    requestRefresh: queue.requestRefresh,
  };
});
afterAll(async () => {
  stopping.abort();
  await queue.stop();
  await harness.stop();
});
beforeEach(async () => {
  host = await openFaultHost();
});
afterEach(() => host.close());

const count = async (): Promise<number[]> => {
  const [registries, subscriptions] = await Promise.all([
    harness.db.selectFrom('registries').select('id').execute(),
    harness.db.selectFrom('subscriptions').select('id').execute(),
  ]);
  return [registries.length, subscriptions.length];
};

describe('a usable registry', () => {
  test('is verified when subscribing returns, and available to the next subscriber at once', async () => {
    const { url } = putRegistry(host);
    const [first, second] = [await addOrganization(harness.db), await addOrganization(harness.db)];
    const done = await subscribe(service, first, { url: `${url}#x`, name: ' Mine ', actor: SERVICE_ACTOR });
    expect(done.outcome).toBe('created');
    const apps = await harness.db
      .selectFrom('apps as a')
      .innerJoin('subscriptions as s', 's.registryId', 'a.registryId')
      .where('s.organizationId', '=', first)
      .select(['a.key', 'a.latest', 's.name'])
      .execute();
    expect(apps).toEqual([{ key: 'app-a', latest: '2.0.0', name: 'Mine' }]);
    expect(await subscribe(service, first, { url, name: 'Again', actor: SERVICE_ACTOR })).toEqual({
      ...done,
      outcome: 'already',
    });
    const requestCount = host.requests.length;
    expect((await subscribe(service, second, { url, name: 'Other', actor: SERVICE_ACTOR })).outcome).toBe('created');
    // The host is asked whether it still serves the URL, and for nothing else.
    const asked = host.requests.slice(requestCount).map(({ path }) => path);
    expect(new Set(asked)).toEqual(new Set(['/registry.json']));
  }, 20_000);

  test('has one row and one subscription after concurrent requests', async () => {
    const { url } = putRegistry(host);
    const organization = await addOrganization(harness.db);
    const all = await Promise.all(
      Array.from({ length: 8 }, () => subscribe(service, organization, { url, name: 'x', actor: SERVICE_ACTOR })),
    );
    expect(all.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(new Set(all.map((one) => 'subscriptionId' in one && one.subscriptionId)).size).toBe(1);
    expect(await harness.db.selectFrom('registries').where('url', '=', url).select('id').execute()).toHaveLength(1);
  }, 20_000);
});

describe('an unusable registry', () => {
  test.each<[string, () => string, RegExp]>([
    ['that is missing', () => `${host.origin}/none.json`, /404/],
    [
      'that is an HTML page',
      () => host.on('/r.json', answer({ body: '<!doctype html><title>Log in</title>' })),
      /HTML|JSON/,
    ],
    ['with an array of apps', () => host.on('/r.json', answer({ body: '{"apps": []}' })), /apps/],
    ['with a response that is not HTTP', () => host.on('/r.json', raw('hello\r\n\r\n')), /HTTP/],
    ['without a response', () => host.on('/r.json', silent()), /no response arrived in time/],
    ['that refuses connections', () => 'http://localhost:2/r.json', /could not be reached from the service/],
  ])('%s is not stored, and the reason is reported', async (_, url, words) => {
    const before = await count();
    const organization = await addOrganization(harness.db);
    const done = await subscribe(service, organization, { url: url(), name: 'x', actor: SERVICE_ACTOR });
    expect(done.outcome).toBe('unusable');
    if (done.outcome !== 'unusable') return;
    expect(done.message).toMatch(words);
    expect(done.findings.length).toBeGreaterThan(0);
    expect(await count()).toEqual(before);
  });

  test('that requires credentials is reported with advice for the subscriber', async () => {
    const organization = await addOrganization(harness.db);
    const url = host.on('/r.json', answer({ status: 401, headers: CORS, body: 'no' }));
    const done = await subscribe(service, organization, { url, name: 'x', actor: SERVICE_ACTOR });
    expect(done).toMatchObject({
      outcome: 'unusable',
      advice: 'If the registry is private, subscribe with its credentials.',
      isFinding: true,
    });
    if (done.outcome === 'unusable') expect(done.message).toBe(done.findings[0]!.message);
  });

  test('is reported with the same text for every host that cannot be reached', async () => {
    const inside = await openFaultHost({ host: '127.0.0.2' });
    host.on('/r.json', redirect(`https://localhost.:${inside.port}/registry.json`));
    const organization = await addOrganization(harness.db);
    const strict: Service = {
      ...service,
      outbound: { ...service.outbound, guard: (_, address) => (address === '127.0.0.2' ? 'ADDRESS_REFUSED' : null) },
    };
    const urls = [
      `http://127.0.0.2:${inside.port}/r.json`,
      'http://localhost:2/r.json',
      'https://unknown.invalid/r.json',
    ];
    const done: SubscribeOutcome[] = [];
    for (const url of urls) done.push(await subscribe(strict, organization, { url, name: 'x', actor: SERVICE_ACTOR }));
    // The fingerprint is made of the URL.
    const messages = done.map((one) =>
      'findings' in one ? { ...one.findings[0]!, message: one.message, fingerprint: '' } : one,
    );
    const plain = messages.map((one) =>
      JSON.stringify(one).replaceAll(/(https?:\/\/)?(127\.0\.0\.2|localhost|unknown\.invalid)(:\d+)?/g, 'HOST'),
    );
    expect(new Set(plain).size).toBe(1);
    expect(inside.requests).toEqual([]);
    await inside.close();
  }, 20_000);

  test('with an invalid URL is refused', async () => {
    const organization = await addOrganization(harness.db);
    const done = await subscribe(service, organization, { url: 'apps.example.com', name: 'x', actor: SERVICE_ACTOR });
    expect(done).toMatchObject({
      outcome: 'refused-url',
      message: expect.stringContaining('https://apps.example.com') as string,
    });
  });
});

test('official registries are subscribed to once, even if they cannot be reached', async () => {
  const { url } = putRegistry(host);
  const settings = { ...service.settings, coreRegistryUrl: url, communityRegistryUrl: 'http://localhost:2/r.json' };
  const organization = await addOrganization(harness.db);
  for (let i = 0; i < 2; i += 1) await subscribeOfficial({ ...service, settings }, organization);
  const rows = await harness.db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organization)
    .select(['name', 'official'])
    .orderBy('name')
    .execute();
  expect(rows).toEqual([
    { name: 'Community registry', official: true },
    { name: 'Core registry', official: true },
  ]);
  await subscribeOfficial(service, organization);
});
