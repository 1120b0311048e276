import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AppVersion } from '../../../src/core/attestation/statement.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { appOf, listInstallable } from '../../src/db/apps.ts';
import { versionsOf } from '../../src/db/versions.ts';
import { artifactVersionOf } from '../../src/db/artifacts.ts';
import { type SubscriptionPolicy, readPolicy } from '../../src/domain/signers.ts';
import { setAttestationPolicy } from '../../src/db/signers.ts';
import { listEvents } from '../../src/db/events.ts';
import { signedBy, statementOf, vendorKeys } from '../../../test/support/attest.ts';
import {
  answer,
  type Behaviour,
  CORS,
  type FaultHost,
  openFaultHost,
  tagged,
} from '../../../test/support/fault-host.ts';
import { type Live, putRegistry } from '../../../test/support/live-registry.ts';
import { addOrganization, addSubscription } from '../database-fixture.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/** Attestations: fetched once for all subscribers, and judged by the policy of each. */

let host: FaultHost;
let harness: RefreshHarness;
let live: Live;
let registry: number;
let own: Subscription;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
  live = putRegistry(host);
  registry = await harness.add(live.url);
  const { organizationId, id } = await harness.db
    .selectFrom('subscriptions')
    .where('registryId', '=', registry)
    .select(['organizationId', 'id'])
    .executeTakeFirstOrThrow();
  own = { organizationId, id };
});
afterEach(() => host.close());

interface Subscription {
  organizationId: string;
  id: string;
}

const VENDOR = vendorKeys();
const OTHER = vendorKeys();
const KEY = 'app-a';
const LATEST = { key: KEY, version: '2.0.0' };
const OLDER = { key: KEY, version: '1.0.0' };

function policy(mode: 'report' | 'require', { publicKey } = VENDOR): SubscriptionPolicy {
  const read = readPolicy({ mode, issuer: '', identity: '', repository: '', publicKey });
  if ('faults' in read) throw new Error('The policy is valid.');
  return read;
}

async function set(value: SubscriptionPolicy, { organizationId, id } = own): Promise<void> {
  const target = { organizationId, subscriptionId: id, actor: SERVICE_ACTOR };
  expect(await setAttestationPolicy(harness.db, target, value)).toMatchObject({ changed: true });
}

function serve(file: '1.tar.gz' | '2.tar.gz', behaviour: Behaviour): void {
  host.on(`/${file}.sigstore.json`, behaviour);
}

/** The attestation of a version, for the bytes of the artifact. */
async function attestation(app: AppVersion, artifact: Uint8Array, keys = VENDOR): Promise<Behaviour> {
  const body = await signedBy(keys.privateKey, statementOf(app, artifact));
  return answer({ headers: { 'Content-Type': 'application/json', ...CORS }, body });
}

const MISSING = answer({ status: 404 });
const UNAVAILABLE = answer({ status: 503 });

/** What a subscription sees of each version, the highest first: `+` if it is offered, and the state of its attestation. */
async function seen({ organizationId, id } = own): Promise<string[]> {
  const list = await versionsOf(harness.db, organizationId, id, KEY, { limit: 10, after: null });
  return list!.versions.map(({ version, offered, attestation: one }) =>
    `${offered ? '+' : '-'}${version} ${one?.state ?? 'none'} ${one?.reason?.rule ?? ''}`.trim(),
  );
}

async function latest({ organizationId, id } = own): Promise<string | null> {
  return (await appOf(harness.db, organizationId, id, KEY))!.latest;
}

/** Events about attestations, the oldest first. */
async function events({ organizationId, id } = own): Promise<string[]> {
  const query = { subscriptionId: id, appKey: null, type: null, limit: 100, after: null };
  const list = await listEvents(harness.db, organizationId, query);
  return list!.events
    .filter(({ type }) => type === 'version-held' || type === 'version-attested')
    .map(({ type, version }) => `${type} ${version}`)
    .toReversed();
}

const companionRequests = (): string[] =>
  host.requests.map(({ path }) => path).filter((path) => path.endsWith('.sigstore.json'));

test('attestations that nobody wants are not fetched, and change nothing', async () => {
  await harness.refresh(registry);
  expect(companionRequests()).toEqual([]);
  expect(await seen()).toEqual(['+2.0.0 none', '+1.0.0 none']);
  expect(await latest()).toBe('2.0.0');
});

describe('a subscription that reports', () => {
  test('is offered every version, and sees who built it', async () => {
    serve('2.tar.gz', await attestation(LATEST, live.artifact));
    await set(policy('report'));
    await harness.refresh(registry);
    expect(await seen()).toEqual(['+2.0.0 verified', '+1.0.0 missing']);
    expect(await events()).toEqual([]);
    const list = await versionsOf(harness.db, own.organizationId, own.id, KEY, { limit: 1, after: null });
    expect(list!.versions[0]!.attestation).toMatchObject({
      held: null,
      build: { key: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });
});

describe('a subscription that requires', () => {
  test('keeps what it was offered, and is offered new versions only with an attestation', async () => {
    const [newest, older] = live.versions;
    live.versions = [older!];
    live.list();
    await harness.refresh(registry);
    await set(policy('require'));
    live.versions = [newest!, older!];
    live.list();
    await harness.refresh(registry, 1.1);
    expect(await seen()).toEqual(['-2.0.0 missing', '+1.0.0 missing']);
    expect(await latest()).toBe('1.0.0');
    const place = { subscriptionId: own.id, ...LATEST };
    expect(await artifactVersionOf(harness.db, own.organizationId, place)).toMatchObject({ offered: false });
    serve('2.tar.gz', await attestation(LATEST, live.artifact));
    await harness.refresh(registry, 2.2);
    expect(await seen()).toEqual(['+2.0.0 verified', '+1.0.0 missing']);
    expect(await latest()).toBe('2.0.0');
    expect(await artifactVersionOf(harness.db, own.organizationId, place)).toMatchObject({ offered: true });
    expect(await events()).toEqual(['version-held 2.0.0', 'version-attested 2.0.0']);
    // The proof is kept, whatever the host has later.
    serve('2.tar.gz', MISSING);
    await harness.refresh(registry, 30);
    expect(await seen()).toEqual(['+2.0.0 verified', '+1.0.0 missing']);
  });

  test('before the host has served the manifest for it is offered versions by a check that finds no change', async () => {
    live.serve('registry.json', tagged(await (await fetch(live.url)).text(), CORS));
    live.serve('a.json', tagged(JSON.stringify({ versions: live.versions }), CORS));
    live.serve('1.tar.gz', tagged(live.older, { 'Content-Type': 'application/gzip' }));
    live.serve('2.tar.gz', tagged(live.artifact, { 'Content-Type': 'application/gzip' }));
    serve('2.tar.gz', await attestation(LATEST, live.artifact));
    for (const hours of [0, 1.1]) await harness.refresh(registry, hours);
    const organizationId = await addOrganization(harness.db);
    const values = { confirmedAt: null };
    const other = { organizationId, id: await addSubscription(harness.db, organizationId, registry, values) };
    await set(policy('require'), other);
    harness.lines.length = 0;
    await harness.refresh(registry, 2.2);
    expect(harness.lines.join()).toContain('"unchanged":true');
    expect(await seen(other)).toEqual(['+2.0.0 verified', '-1.0.0 missing']);
    expect(await events(other)).toEqual(['version-held 1.0.0', 'version-attested 2.0.0']);
  });

  test.each<[string, () => Promise<Behaviour> | Behaviour, string]>([
    ['none', () => MISSING, 'missing'],
    ['a page for missing files', () => answer({ headers: CORS, body: '<!doctype html><html></html>' }), 'missing'],
    ['a host that is not available', () => UNAVAILABLE, 'pending'],
    [
      'one for another version',
      () => attestation({ ...LATEST, version: '1.9.0' }, live.artifact),
      'refused attestation-other-version',
    ],
    [
      'one for another app',
      () => attestation({ ...LATEST, key: 'other' }, live.artifact),
      'refused attestation-other-version',
    ],
    ['one for other bytes', () => attestation(LATEST, live.older), 'refused attestation-invalid'],
    ['one by another key', () => attestation(LATEST, live.artifact, OTHER), 'refused attestation-invalid'],
    ['a text', () => answer({ headers: CORS, body: '{"versions":[]}' }), 'refused attestation-invalid'],
    [
      'one that is too large',
      () => answer({ headers: CORS, body: Buffer.alloc(1_100_000, 0x20) }),
      'refused attestation-invalid',
    ],
  ])('is not offered a version that has %s', async (_, behaviour, state) => {
    serve('2.tar.gz', await behaviour());
    serve('1.tar.gz', await attestation(OLDER, live.older));
    await set(policy('require'));
    await harness.refresh(registry);
    expect(await seen()).toEqual([`-2.0.0 ${state}`, '+1.0.0 verified']);
    expect(await latest()).toBe('1.0.0');
    expect((await events()).toSorted()).toEqual(['version-attested 1.0.0', 'version-held 2.0.0']);
    // It may be corrected.
    serve('2.tar.gz', await attestation(LATEST, live.artifact));
    await harness.refresh(registry, 1.1);
    expect(await latest()).toBe('2.0.0');
  });

  test('sees an app without an attested version as hidden, and why', async () => {
    await set(policy('require'));
    await harness.refresh(registry);
    const app = (await appOf(harness.db, own.organizationId, own.id, KEY))!;
    expect(app).toMatchObject({
      visible: false,
      latest: null,
      offered: 0,
      reasons: [{ code: 'attestation-required' }],
    });
    const query = { search: null, limit: 10, after: null };
    const { apps } = await listInstallable(harness.db, own.organizationId, query);
    expect(apps.filter(({ registry: { id } }) => id === own.id)).toEqual([]);
  });

  test('of another signer from now on keeps what it was offered, and says so', async () => {
    const { versions } = live;
    live.versions = [];
    live.list();
    await harness.refresh(registry);
    await set(policy('require'));
    serve('2.tar.gz', await attestation(LATEST, live.artifact));
    live.versions = versions;
    live.list();
    await harness.refresh(registry, 1.1);
    expect(await seen()).toEqual(['+2.0.0 verified', '-1.0.0 missing']);
    await set(policy('require', OTHER));
    await harness.refresh(registry, 2.2);
    expect(await seen()).toEqual(['+2.0.0 refused attestation-invalid', '-1.0.0 missing']);
    const list = await versionsOf(harness.db, own.organizationId, own.id, KEY, { limit: 10, after: null });
    expect(list!.versions.map((one) => one.attestation?.offeredBefore)).toEqual([true, false]);
  });

  test('is offered everything again once it no longer requires attestations', async () => {
    await set(policy('require'));
    await harness.refresh(registry);
    await set({ mode: 'off' });
    expect(await seen()).toEqual(['+2.0.0 none', '+1.0.0 none']);
    await set(policy('require'));
    expect(await latest()).toBe('2.0.0');
  });
});

test('an attestation is fetched once for all subscribers, and each sees only its own policy', async () => {
  const add = async (): Promise<Subscription> => {
    const organizationId = await addOrganization(harness.db);
    return { organizationId, id: await addSubscription(harness.db, organizationId, registry) };
  };
  const [second, third] = [await add(), await add()];
  serve('2.tar.gz', await attestation(LATEST, live.artifact));
  await set(policy('require'));
  await set(policy('require', OTHER), second);
  await harness.refresh(registry);
  expect(companionRequests().toSorted()).toEqual(['/1.tar.gz.sigstore.json', '/2.tar.gz.sigstore.json']);
  expect(await seen()).toEqual(['+2.0.0 verified', '-1.0.0 missing']);
  expect(await seen(second)).toEqual(['-2.0.0 refused attestation-invalid', '-1.0.0 missing']);
  expect(await seen(third)).toEqual(['+2.0.0 none', '+1.0.0 none']);
  expect([await latest(), await latest(second), await latest(third)]).toEqual(['2.0.0', null, '2.0.0']);
  expect([await events(second), await events(third)]).toEqual([['version-held 1.0.0', 'version-held 2.0.0'], []]);
});

test('an attestation that is valid is not asked for again, and a missing one once a day after the first', async () => {
  serve('2.tar.gz', await attestation(LATEST, live.artifact));
  await set(policy('require'));
  await harness.refresh(registry);
  for (const hours of [1.1, 2.2, 30, 31.1, 60]) {
    host.requests.length = 0;
    await harness.refresh(registry, hours);
    expect(companionRequests(), String(hours)).toEqual(hours === 31.1 ? [] : ['/1.tar.gz.sigstore.json']);
  }
});

test('a missing attestation is asked for when a subscriber requests a check, also if the refresh that begins it ends early', async () => {
  await set(policy('require'));
  await harness.refresh(registry);
  await harness.refresh(registry, 30);
  await harness.db
    .updateTable('registries')
    .set({ artifactsRequestedAt: new Date() })
    .where('id', '=', registry)
    .execute();
  const stopping = new AbortController();
  host.on('/a.json', () => stopping.abort());
  expect(await harness.refresh(registry, 31.1, stopping.signal)).toBe('released');
  host.requests.length = 0;
  live.list();
  await harness.refresh(registry, 32.2);
  expect(companionRequests().toSorted()).toEqual(['/1.tar.gz.sigstore.json', '/2.tar.gz.sigstore.json']);
});
