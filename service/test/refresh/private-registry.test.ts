import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVICE_ACTOR as actor } from '../../src/domain/audit.ts';
import { type RegistryAuth } from '../../src/domain/credentials.ts';
import { type Service } from '../../src/context.ts';
import { secretsKeyIn } from '../../src/config/secrets-keys.ts';
import * as credentials from '../../src/actions/subscriptions.ts';
import { checkSecretsKeys } from '../../src/jobs/check-secrets-keys.ts';
import * as subscribing from '../../src/actions/subscribe.ts';
import { subscriptionOf, removeSubscription } from '../../src/db/subscriptions.ts';
import { makeDue } from '../../src/db/registries.ts';
import { listApps } from '../../src/db/apps.ts';
import { versionsOf } from '../../src/db/versions.ts';
import { certificates } from '../../../test/support/fault-certificates.ts';
import { answer, CORS, type FaultHost, json, openFaultHost, redirect } from '../../../test/support/fault-host.ts';
import { textOfBytes } from '../../../test/support/leaks.ts';
import { archive, checksum, gzipped, putRegistry } from '../../../test/support/live-registry.ts';
import { openPrivateHost, PRIVATE_TOKEN as TOKEN, refusal } from '../../../test/support/private-host.ts';
import { addOrganization } from '../database-fixture.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/** Registries whose host requires credentials. */

const BEARER: RegistryAuth = { type: 'bearer', token: TOKEN };
const PAGE = { search: null, visible: null, limit: 100, after: null };

let harness: RefreshHarness;
let service: Service;
beforeAll(async () => {
  harness = await openRefreshHarness();
  service = {
    ...harness.context,
    stopping: new AbortController().signal,
    requestRefresh: async (id) => void (await makeDue(harness.db, id, 0)),
  };
});
afterAll(() => harness.stop());

async function registryOf(subscriptionId: string): Promise<number> {
  const { db } = harness;
  const row = await db
    .selectFrom('subscriptions')
    .where('id', '=', subscriptionId)
    .select('registryId')
    .executeTakeFirstOrThrow();
  return row.registryId;
}

const sealedFor = (registryId: number) =>
  harness.db.selectFrom('registryCredentials').where('registryId', '=', registryId).selectAll().executeTakeFirst();

interface Request {
  url: string;
  name: string;
  auth?: RegistryAuth | null;
}

const subscribe = (to: Service, organization: string, request: Request) =>
  subscribing.subscribe(to, organization, { ...request, actor });
const setAuth = (to: Service, organizationId: string, subscriptionId: string, auth: RegistryAuth) =>
  credentials.setAuth(to, { organizationId, subscriptionId, auth, actor });

/** Waits for the manifest, which decides whether a subscription is refused. */
const waiting = (): Service => ({ ...service, outbound: { ...service.outbound, subscribeTimeout: 8000 } });

function idOf(outcome: subscribing.SubscribeOutcome): string {
  if (!('subscriptionId' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome.subscriptionId;
}

/** Subscribes, and refreshes once. */
async function join(url: string, auth: RegistryAuth | null = BEARER): Promise<{ organization: string; id: string }> {
  const organization = await addOrganization(harness.db);
  const id = idOf(await subscribe(service, organization, { url, name: 'Private', auth }));
  await harness.refresh(await registryOf(id));
  return { organization, id };
}

const view = ({ organization, id }: { organization: string; id: string }) =>
  subscriptionOf(harness.db, organization, id, 3_600_000);
const appsOf = async ({ organization, id }: { organization: string; id: string }) =>
  (await listApps(harness.db, organization, id, PAGE))!.apps;

describe('a registry with credentials', () => {
  test.each<[string, RegistryAuth, string, string]>([
    ['bearer', BEARER, 'authorization', `Bearer ${TOKEN}`],
    [
      'basic',
      { type: 'basic', username: 'rö', password: 'p:w' },
      'authorization',
      `Basic ${Buffer.from('rö:p:w').toString('base64')}`,
    ],
    ['header', { type: 'header', name: 'X-Api-Key', value: TOKEN }, 'x-api-key', TOKEN],
  ])('is read with %s credentials, all of its files', async (_, auth, name, value) => {
    const { host, live } = await openPrivateHost(name, value);
    const joined = await join(live.url, auth);
    expect(await view(joined)).toMatchObject({ state: 'good', auth: { type: auth.type }, visible: 1 });
    expect((await appsOf(joined))[0]).toMatchObject({
      key: 'app-a',
      latest: '2.0.0',
      icon: expect.any(String) as string,
    });
    const unsent = host.requests.filter(({ method, headers }) => method !== 'OPTIONS' && headers[name] !== value);
    expect(unsent).toEqual([]);
    await host.close();
  });

  test('is not subscribed to without credentials, or with those that its host refuses', async () => {
    const { host, live } = await openPrivateHost();
    const organization = await addOrganization(harness.db);
    const wrong = await subscribe(waiting(), organization, {
      url: live.url,
      name: 'x',
      auth: { type: 'bearer', token: 'wrong-credential' },
    });
    expect(wrong).toMatchObject({
      outcome: 'unusable',
      message: expect.stringContaining('refuses the credentials') as string,
    });
    expect('findings' in wrong && wrong.findings[0]).toMatchObject({
      rule: 'unreachable',
      cause: 'credentials-refused',
    });
    expect(JSON.stringify(wrong)).not.toContain('wrong-credential');
    const none = await subscribe(waiting(), organization, { url: live.url, name: 'x' });
    expect('advice' in none && none.advice).toContain('subscribe with its credentials');
    const rows = await harness.db.selectFrom('registries').where('url', '=', live.url).select('id').execute();
    expect(rows).toEqual([]);
    await host.close();
  });

  test('keeps its last good apps while its host refuses the credentials', async () => {
    const { host, live, required } = await openPrivateHost();
    const joined = await join(live.url);
    required.value = 'Bearer another';
    const registry = await registryOf(joined.id);
    expect(await harness.refresh(registry, 2)).toBe('failing');
    expect(await view(joined)).toMatchObject({
      state: 'unauthorized',
      visible: 1,
      failingSince: expect.any(String) as string,
    });
    const { findings } = await harness.report(registry);
    expect(findings.map(({ cause }) => cause)).toContain('credentials-refused');
    await setAuth(service, joined.organization, joined.id, { type: 'bearer', token: 'another' });
    expect(await registryOf(joined.id)).toBe(registry);
    expect(await harness.refresh(registry, 3)).toBe('good');
    expect(await view(joined)).toMatchObject({ state: 'good', failingSince: null });
    await host.close();
  });

  test('whose artifacts alone refuse the credentials keeps offering its verified versions', async () => {
    const { host, live } = await openPrivateHost();
    const joined = await join(live.url);
    for (const path of ['/1.tar.gz', '/2.tar.gz']) host.on(path, refusal);
    // The cached facts of its artifacts are too old by then.
    await harness.refresh(await registryOf(joined.id), 31 * 24);
    expect(await view(joined)).toMatchObject({ state: 'unauthorized', visible: 1 });
    expect((await appsOf(joined))[0]).toMatchObject({ latest: '2.0.0' });
    await host.close();
  });

  test('is not shared: each organization has its own row, apps and report', async () => {
    const { host, live } = await openPrivateHost();
    const [first, second] = [await join(live.url), await join(live.url)];
    expect(await registryOf(first.id)).not.toBe(await registryOf(second.id));
    const known = host.requests.length;
    const third = await addOrganization(harness.db);
    expect((await subscribe(waiting(), third, { url: live.url, name: 'x' })).outcome).toBe('unusable');
    expect(host.requests.length).toBeGreaterThan(known);
    const wrong = { url: live.url, name: 'x', auth: { type: 'bearer', token: 'wrong-credential' } } as const;
    expect((await subscribe(waiting(), third, wrong)).outcome).toBe('unusable');
    await host.close();
  });

  test('moves to a row of its own and back, with the same subscription', async () => {
    const host = await openFaultHost({ tls: certificates().get('good') });
    const live = putRegistry(host);
    const [mine, other] = [await join(live.url, null), await join(live.url, null)];
    const shared = await registryOf(mine.id);
    expect(await registryOf(other.id)).toBe(shared);
    expect(await setAuth(service, mine.organization, mine.id, BEARER)).toEqual({ outcome: 'changed' });
    const own = await registryOf(mine.id);
    expect(own).not.toBe(shared);
    expect(await registryOf(other.id)).toBe(shared);
    expect(await view(mine)).toMatchObject({ id: mine.id, name: 'Private', visible: 1, auth: { type: 'bearer' } });
    const digests = async ({ organization, id }: typeof mine) =>
      (await versionsOf(harness.db, organization, id, 'app-a', { limit: 10, after: null }))!.versions.map(
        ({ artifactChecksum, state }) => [artifactChecksum, state],
      );
    expect(await digests(mine)).toEqual(await digests(other));
    // The pinned digest is kept: other bytes under the same version are refused in the own row, too.
    const others = archive('export const version = 3;');
    live.versions[0]!.artifactChecksum = checksum(others);
    live.serve('2.tar.gz', gzipped(others));
    live.list();
    await harness.refresh(own, 1);
    expect((await digests(mine))[0]![1]).toBe('refused');
    expect((await digests(other))[0]![1]).toBe('verified');
    expect(
      await credentials.removeAuth(service, { organizationId: mine.organization, subscriptionId: mine.id, actor }),
    ).toEqual({ outcome: 'changed' });
    expect(await registryOf(mine.id)).toBe(shared);
    const left = await harness.db.selectFrom('registryCredentials').where('registryId', '=', own).selectAll().execute();
    expect(left).toEqual([]);
    await host.close();
  });

  test('is forgotten with the subscription', async () => {
    const { host, live } = await openPrivateHost();
    const joined = await join(live.url);
    const registry = await registryOf(joined.id);
    expect(await removeSubscription(harness.db, joined.organization, joined.id, actor)).toBe(true);
    expect(await sealedFor(registry)).toBeUndefined();
    await harness.db.deleteFrom('organizations').where('id', '=', joined.organization).execute();
    const rows = await harness.db.selectFrom('registries').where('id', '=', registry).select('id').execute();
    expect(rows).toEqual([]);
    await host.close();
  });

  test('over plain http is refused, except on the loopback interface', async () => {
    const organization = await addOrganization(harness.db);
    const allowed = { ...service, outbound: { ...service.outbound, guard: null } };
    const request = { url: 'http://apps.example.com/registry.json', name: 'x', auth: BEARER };
    expect(await subscribe(allowed, organization, request)).toMatchObject({
      outcome: 'refused-url',
      message: expect.stringContaining('unencrypted') as string,
    });
  });

  test('whose credentials are replaced during a refresh is due again at once', async () => {
    const { host, live } = await openPrivateHost();
    const joined = await join(live.url);
    const registry = await registryOf(joined.id);
    await harness.db.updateTable('registries').set({ unchangedToken: null }).where('id', '=', registry).execute();
    host.on('/a.json', async (request, socket) => {
      await setAuth(service, joined.organization, joined.id, BEARER);
      await json({ versions: live.versions })(request, socket);
    });
    await harness.refresh(registry, 2);
    const { nextCheckAt } = await harness.db
      .selectFrom('registries')
      .where('id', '=', registry)
      .select('nextCheckAt')
      .executeTakeFirstOrThrow();
    expect(nextCheckAt.getTime()).toBeLessThan(Date.now() + 120_000 + 2 * 3_600_000);
    await host.close();
  });
});

describe('credentials leave no trace', () => {
  test.each<
    [string, (own: FaultHost) => Promise<{ to: string; received: () => FaultHost['requests']; close(): Promise<void> }>]
  >([
    [
      'another port',
      async () => {
        const other = await openFaultHost({ tls: certificates().get('good') });
        return { to: other.origin, received: () => other.requests, close: () => other.close() };
      },
    ],
    [
      'plain http',
      async () => {
        const other = await openFaultHost();
        return { to: other.origin, received: () => other.requests, close: () => other.close() };
      },
    ],
    [
      'another name of the same host',
      async (own) => ({
        to: `https://localhost:${own.port}`,
        received: () => own.requests.filter(({ headers }) => headers['host']?.startsWith('localhost')),
        close: async () => {},
      }),
    ],
  ])('on %s, by URL or by redirect', async (_, openOther) => {
    const { host, live } = await openPrivateHost();
    const other = await openOther(host);
    // The artifact and the icon are on the other origin; the metadata redirects to it, and back.
    live.versions[1]!.artifactUrl = `${other.to}/1.tar.gz`;
    live.list();
    live.serve('a.svg', redirect(`${other.to}/a.svg`));
    live.serve('2.tar.gz', redirect(`${other.to}/back`));
    await join(live.url);
    const sent = other.received();
    expect(sent.length).toBeGreaterThan(0);
    expect(JSON.stringify(sent)).not.toContain(TOKEN);
    await host.close();
    await other.close();
  });

  test('after a redirect away and back', async () => {
    const { host, live } = await openPrivateHost();
    const other = await openFaultHost({ tls: certificates().get('good') });
    other.on('/back', redirect(`${host.origin}/final.tar.gz`));
    host.on('/final.tar.gz', gzipped(live.artifact));
    live.serve('2.tar.gz', redirect(`${other.origin}/back`));
    await join(live.url);
    const back = host.requestsFor('/final.tar.gz');
    expect(back.length).toBeGreaterThan(0);
    expect(back.every(({ headers }) => headers['authorization'] === undefined)).toBe(true);
    await host.close();
    await other.close();
  });

  test('in tables, logs and facts, although the host echoes them everywhere', async () => {
    const { host, live } = await openPrivateHost();
    const echoed = `?echo=${TOKEN}`;
    const app = {
      name: `App ${TOKEN}`,
      description: `Bearer ${TOKEN}`,
      blockStyle: { iconUrl: `${host.origin}/a.svg${echoed}`, color: '#336699' },
      appMetadataUrl: `${host.origin}/a.json${echoed}`,
    };
    host.on('/registry.json', json({ apps: { 'app-a': app, [`b-${TOKEN}`]: app } }));
    host.on(
      '/a.svg',
      answer({
        headers: { 'Content-Type': 'image/svg+xml', ...CORS },
        body: `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><title>${TOKEN}</title></svg>`,
      }),
    );
    host.on('/1.tar.gz', answer({ status: 403, headers: { ...CORS, 'X-Echo': TOKEN }, body: `You sent ${TOKEN}` }));
    live.versions[0]!.artifactUrl += echoed;
    live.list();
    const joined = await join(live.url);
    const registry = await registryOf(joined.id);
    await harness.refresh(registry, 1);
    await harness.refresh(registry, 2);
    const { db, lines } = harness;
    for (const { schema, name } of await db.introspection.getTables()) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(`${schema}.${name}`)}`.execute(db);
      const text = rows
        .flatMap((row) => Object.values(row))
        .map((one) => (Buffer.isBuffer(one) ? textOfBytes(one) : JSON.stringify(one)))
        .join('\n');
      expect(text.includes(TOKEN), name).toBe(false);
      expect(text.includes(Buffer.from(`Bearer ${TOKEN}`).toString('base64')), name).toBe(false);
    }
    expect(lines.join('\n')).not.toContain(TOKEN);
    expect(JSON.stringify(await view(joined))).not.toContain(TOKEN);
    expect(await harness.context.metrics.registry.metrics()).not.toContain(TOKEN);
    await host.close();
  });
});

describe('the key', () => {
  const otherKey = secretsKeyIn(Buffer.alloc(32, 9).toString('base64'))!;

  test('is required, and must be the one that sealed the credentials', async () => {
    const { host, live } = await openPrivateHost();
    const joined = await join(live.url);
    const start = (secretsKeys: Service['settings']['secretsKeys']) =>
      checkSecretsKeys({ ...service, settings: { ...service.settings, secretsKeys } });
    await expect(start([])).rejects.toMatchObject({ code: 'secrets-key-missing' });
    await expect(start([otherKey])).rejects.toMatchObject({ code: 'secrets-key-wrong' });
    await start(service.settings.secretsKeys);
    const registry = await registryOf(joined.id);
    const requests = host.requests.length;
    const locked = { ...harness.context, settings: { ...harness.context.settings, secretsKeys: [otherKey] } };
    const { refreshRegistry } = await import('../../src/refresh/refresh.ts');
    await harness.db
      .updateTable('registries')
      .set({ nextCheckAt: new Date(0) })
      .where('id', '=', registry)
      .execute();
    expect(await refreshRegistry(locked, registry, new AbortController().signal)).toBe('credentials-unusable');
    expect(host.requests.length).toBe(requests);
    await host.close();
  });

  test('is replaced while SECRETS_KEY_OLD is the previous one', async () => {
    const { host, live } = await openPrivateHost();
    const joined = await join(live.url);
    const keys = [otherKey, ...service.settings.secretsKeys];
    await checkSecretsKeys({ ...service, settings: { ...service.settings, secretsKeys: keys } });
    expect((await sealedFor(await registryOf(joined.id)))?.keyId).toBe(otherKey.id);
    await checkSecretsKeys({ ...service, settings: { ...service.settings, secretsKeys: [otherKey] } });
    await checkSecretsKeys({
      ...service,
      settings: { ...service.settings, secretsKeys: [...service.settings.secretsKeys, otherKey] },
    });
    await host.close();
  });

  test('opens credentials for their own row only', async () => {
    const { host, live } = await openPrivateHost();
    const [first, second] = [await registryOf((await join(live.url)).id), await join(live.url)];
    const target = await registryOf(second.id);
    const { sealed } = (await sealedFor(first))!;
    await harness.db.updateTable('registryCredentials').set({ sealed }).where('registryId', '=', target).execute();
    const requests = host.requests.length;
    expect(await harness.refresh(target, 2)).toBe('credentials-unusable');
    expect(host.requests.length).toBe(requests);
    expect(await view(second)).toMatchObject({ state: 'unauthorized', visible: 1 });
    await host.close();
  });
});
