import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PolicyDocument } from '../../../src/core/policy/policy-document.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { listAuditEntries } from '../../src/db/audit.ts';
import { listEvents } from '../../src/db/events.ts';
import { appCatalogue } from '../../src/db/app-catalogue.ts';
import { appOf, listApps, listInstallable } from '../../src/db/apps.ts';
import { versionsOf } from '../../src/db/versions.ts';
import { artifactVersionOf } from '../../src/db/artifacts.ts';
import { readPolicy as readAttestations } from '../../src/domain/signers.ts';
import { setAttestationPolicy } from '../../src/db/signers.ts';
import { previewPolicy, setPolicy, type PolicyOutcome } from '../../src/db/policies.ts';
import { removeCredentials, setCredentials } from '../../src/db/private-registries.ts';
import { signedBy, statementOf, vendorKeys } from '../../../test/support/attest.ts';
import { answer, CORS, type FaultHost, json, openFaultHost } from '../../../test/support/fault-host.ts';
import { type Live, putRegistry } from '../../../test/support/live-registry.ts';
import { addOrganization, addSubscription } from '../database-fixture.ts';
import { openRefreshHarness, type RefreshHarness } from '../refresh/refresh-harness.ts';

/** Policies of subscriptions: what is held back is offered on no route, and appears when its time comes. */

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
  own = await harness.db
    .selectFrom('subscriptions')
    .where('registryId', '=', registry)
    .select(['organizationId', 'id'])
    .executeTakeFirstOrThrow();
});
afterEach(() => host.close());

interface Subscription {
  organizationId: string;
  id: string;
}

const KEY = 'app-a';

function policy(fields: Omit<PolicyDocument, 'schema'>): PolicyDocument {
  return { schema: 1, ...fields };
}

async function set(
  document: PolicyDocument | null,
  { organizationId, id } = own,
  confirm = false,
): Promise<PolicyOutcome> {
  const now = harness.context.now();
  const target = { organizationId, subscriptionId: id, actor: SERVICE_ACTOR, now, confirm };
  return (await setPolicy(harness.db, target, document))!;
}

/** What a subscription sees of each version, the highest first: `+` if it is offered, and the line that holds it back. */
async function seen({ organizationId, id } = own): Promise<string[]> {
  const list = await versionsOf(harness.db, organizationId, id, KEY, { limit: 10, after: null });
  return list!.versions.map(({ version, offered, policyHold }) =>
    `${offered ? '+' : '-'}${version} ${policyHold?.line ?? ''}`.trim(),
  );
}

/** The same versions on every other route: the highest one of each, and those whose bytes are sent. */
async function routes({ organizationId, id } = own) {
  const page = { limit: 500, after: null, search: null };
  const { db } = harness;
  const app = await appOf(db, organizationId, id, KEY);
  const sent = [];
  for (const version of ['1.0.0', '2.0.0', '3.0.0']) {
    const found = await artifactVersionOf(db, organizationId, { subscriptionId: id, key: KEY, version });
    if (found?.offered === true) sent.push(version);
  }
  const query = { subscriptionId: id, search: '', filter: 'visible', order: 'newest', page: 1, pageSize: 10 } as const;
  const catalogue = await appCatalogue(db, organizationId, query);
  const listed = await listApps(db, organizationId, id, { ...page, visible: true });
  const installable = await listInstallable(db, organizationId, page);
  const latest = (apps: readonly { key: string; latest: string | null; registry?: { id: string } }[]) =>
    apps.find((one) => one.key === KEY && (one.registry?.id ?? id) === id)?.latest ?? null;
  expect(app!.offered).toBe(sent.length);
  expect([latest(catalogue.apps), latest(listed!.apps), latest(installable.apps)]).toEqual(Array(3).fill(app!.latest));
  return { latest: app!.latest, sent };
}

/** Lets time pass for what was decided, without a write of the service. */
async function pass(hours: number): Promise<void> {
  await sql`UPDATE policy_decisions SET offered_at = offered_at - make_interval(mins => ${hours * 60})`.execute(
    harness.db,
  );
}

test('without a policy, every verified version is offered', async () => {
  await harness.refresh(registry);
  expect(await seen()).toEqual(['+2.0.0', '+1.0.0']);
  expect(await routes()).toEqual({ latest: '2.0.0', sent: ['1.0.0', '2.0.0'] });
});

describe('a version that is denied', () => {
  test('is offered on no route, and again once the policy is removed', async () => {
    await harness.refresh(registry);
    await set(policy({ deny: ['app-a@>=2'] }));
    expect(await seen()).toEqual(['-2.0.0 deny[0] "app-a@>=2"', '+1.0.0']);
    expect(await routes()).toEqual({ latest: '1.0.0', sent: ['1.0.0'] });
    await set(null);
    expect(await routes()).toEqual({ latest: '2.0.0', sent: ['1.0.0', '2.0.0'] });
  });

  test('is not offered when a check finds it, and not before the policy was applied to it', async () => {
    const [newest, older] = live.versions;
    live.versions = [older!];
    live.list();
    await harness.refresh(registry);
    await set(policy({ deny: ['*@2.0.0'] }));
    expect(await routes()).toEqual({ latest: '1.0.0', sent: ['1.0.0'] });
    live.versions = [newest!, older!];
    live.list();
    await harness.refresh(registry, 1.1);
    expect(await seen()).toEqual(['-2.0.0 deny[0] "*@2.0.0"', '+1.0.0']);
    expect(await routes()).toEqual({ latest: '1.0.0', sent: ['1.0.0'] });
    // As while a check is running: the version is verified, and nothing is decided about it.
    await harness.db.deleteFrom('policyDecisions').where('version', '=', '1.0.0').execute();
    expect(await routes()).toEqual({ latest: null, sent: [] });
    const held = (await versionsOf(harness.db, own.organizationId, own.id, KEY, { limit: 9, after: null }))!
      .versions[1];
    expect(held).toMatchObject({ version: '1.0.0', offered: false, policyHold: { cause: null, line: null } });
    await harness.refresh(registry, 2.2);
    expect(await routes()).toEqual({ latest: '1.0.0', sent: ['1.0.0'] });
  });

  test('hides its app, which says why', async () => {
    await harness.refresh(registry);
    await set(policy({ deny: [KEY] }), own, true);
    const app = (await appOf(harness.db, own.organizationId, own.id, KEY))!;
    expect(app).toMatchObject({ visible: false, latest: null, offered: 0, reasons: [{ code: 'policy-held' }] });
    expect(app.reasons[0]!.message).toContain('deny[0] "app-a" refuses it.');
  });
});

describe('a version that is too new', () => {
  test('appears when its time comes, without a check', async () => {
    const [newest, older] = live.versions;
    live.versions = [older!];
    live.list();
    await harness.refresh(registry);
    await set(policy({ minimumAge: '3d' }), own, true);
    await harness.refresh(registry, 100);
    expect(await seen()).toEqual(['+1.0.0']);
    live.versions = [newest!, older!];
    live.list();
    await harness.refresh(registry, 101);
    const list = await versionsOf(harness.db, own.organizationId, own.id, KEY, { limit: 1, after: null });
    const [version] = list!.versions;
    expect(version).toMatchObject({ offered: false, policyHold: { cause: 'too-new', line: 'minimumAge "3d"' } });
    expect(Date.parse(version!.policyHold!.offeredAt!) - Date.parse(version!.firstSeenAt)).toBe(72 * 3_600_000);
    expect(await routes()).toEqual({ latest: '1.0.0', sent: ['1.0.0'] });
    // It was first seen 101 hours from now: the clock of the database is not moved.
    await pass(101 + 71);
    expect(await routes()).toEqual({ latest: '1.0.0', sent: ['1.0.0'] });
    await pass(1.5);
    expect(await seen()).toEqual(['+2.0.0', '+1.0.0']);
    expect(await routes()).toEqual({ latest: '2.0.0', sent: ['1.0.0', '2.0.0'] });
  });

  test('counts from the own first sight of the subscription', async () => {
    await harness.refresh(registry);
    const organizationId = await addOrganization(harness.db);
    const registrySince = new Date(Date.now() + 5 * 3_600_000);
    const id = await addSubscription(harness.db, organizationId, registry, { registrySince });
    const later = { organizationId, id };
    const held = async (strict: boolean) => {
      await set(policy({ minimumAge: '4h', minimumAgeStrict: strict }), later, true);
      const list = await versionsOf(harness.db, organizationId, id, KEY, { limit: 1, after: null });
      return list!.versions[0]!.policyHold?.offeredAt ?? null;
    };
    expect(await held(true)).toBe(new Date(registrySince.getTime() + 4 * 3_600_000).toISOString());
    // What was there before may be of any age.
    expect(await held(false)).toBeNull();
  });
});

test('what the first subscriber of a registry finds at its first look may be of any age, and later versions not', async () => {
  const [newest, older] = live.versions;
  live.versions = [older!];
  live.list();
  // The subscription is new: the check confirms it.
  await harness.db.updateTable('subscriptions').set({ confirmedAt: null }).where('id', '=', own.id).execute();
  await harness.refresh(registry);
  const { registrySince } = await harness.db
    .selectFrom('subscriptions')
    .where('id', '=', own.id)
    .select('registrySince')
    .executeTakeFirstOrThrow();
  const first = await harness.db.selectFrom('versions').where('registryId', '=', registry).selectAll().execute();
  expect(first.map(({ firstSeenAt }) => firstSeenAt > registrySince)).toEqual([true]);
  const aged = policy({ minimumAge: '3d', minimumAgeStrict: false });
  expect((await set(aged)).preview.hidden).toEqual([]);
  expect(await seen()).toEqual(['+1.0.0']);
  live.versions = [newest!, older!];
  live.list();
  await harness.refresh(registry, 1.1);
  expect(await seen()).toEqual(['-2.0.0 minimumAge "3d"', '+1.0.0']);
  expect((await set(null)).outcome).toBe('set');
  expect((await set(aged)).preview.hidden.map(({ version }) => version)).toEqual(['2.0.0']);
});

test('the first version of a registry that had none at the first look has an age', async () => {
  // The fixture confirmed the subscription long ago.
  await harness.refresh(registry);
  const hidden = (await set(policy({ minimumAge: '3d', minimumAgeStrict: false }), own, true)).preview.hidden;
  expect(hidden.map(({ version }) => version).toSorted()).toEqual(['1.0.0', '2.0.0']);
});

test('a version that its author retires is held back where the policy says so, unless it is pinned', async () => {
  await harness.refresh(registry);
  await set(policy({ allowDeprecated: ['superseded'] }));
  expect(await seen()).toEqual(['+2.0.0', '+1.0.0']);
  const deprecated = { reason: 'broken', message: 'It fails.' };
  host.on('/a.about.json', json({ schema: 1, versions: { '2.0.0': { deprecated } } }));
  await harness.refresh(registry, 1.1);
  expect(await seen()).toEqual(['-2.0.0 allowDeprecated ["superseded"]', '+1.0.0']);
  expect(await routes()).toEqual({ latest: '1.0.0', sent: ['1.0.0'] });
  await set(policy({ allowDeprecated: ['superseded'], pin: { [KEY]: '2.0.0' } }));
  expect(await routes()).toEqual({ latest: '2.0.0', sent: ['2.0.0'] });
});

test('a policy that hides everything needs a confirmation, and one that is the same changes nothing', async () => {
  await harness.refresh(registry);
  const all = policy({ deny: ['*'] });
  expect(await set(all)).toMatchObject({ outcome: 'unconfirmed', preview: { hidesEverything: true } });
  expect(await seen()).toEqual(['+2.0.0', '+1.0.0']);
  expect(await set(all, own, true)).toMatchObject({ outcome: 'set' });
  expect(await seen()).toEqual(['-2.0.0 deny[0] "*"', '-1.0.0 deny[0] "*"']);
  expect(await set(all)).toMatchObject({ outcome: 'same' });
  await set(null);
  const { entries } = await listAuditEntries(harness.db, own.organizationId, {
    action: 'registry-policy-changed',
    limit: 10,
    after: null,
  });
  const ofRegistry = entries.filter(({ target }) => target.id === own.id);
  expect(ofRegistry.map(({ details }) => details)).toEqual([
    { before: JSON.stringify(all), after: null },
    { before: null, after: JSON.stringify(all) },
  ]);
  const query = { subscriptionId: own.id, appKey: null, type: 'policy-changed', limit: 10, after: null } as const;
  const { events } = (await listEvents(harness.db, own.organizationId, query))!;
  expect(events.map(({ data }) => data)).toEqual([
    { before: all, after: null, hidden: 0, appearing: 2 },
    { before: null, after: all, hidden: 2, appearing: 0 },
  ]);
});

test('each subscription has its own policy, and the others do not see it', async () => {
  const organizationId = await addOrganization(harness.db);
  const second = { organizationId, id: await addSubscription(harness.db, organizationId, registry) };
  await harness.refresh(registry);
  await set(policy({ pin: { [KEY]: '1.0.0' } }));
  expect([await seen(), await seen(second)]).toEqual([
    ['-2.0.0 pin.app-a "1.0.0"', '+1.0.0'],
    ['+2.0.0', '+1.0.0'],
  ]);
  const query = { subscriptionId: second.id, appKey: null, type: 'policy-changed', limit: 10, after: null } as const;
  expect((await listEvents(harness.db, organizationId, query))!.events).toEqual([]);
});

async function offered(): Promise<string[]> {
  return (await seen()).filter((one) => one.startsWith('+')).map((one) => one.slice(1));
}

function versions(list: readonly { version: string }[]): string[] {
  return list.map(({ version }) => version).toSorted();
}

test('the preview is what then happens', async () => {
  await harness.refresh(registry);
  const place = { organizationId: own.organizationId, subscriptionId: own.id, now: harness.context.now() };
  const steps = [{ deny: ['app-a@2'] }, { allow: ['app-a@2'] }, { pin: { [KEY]: '<2' } }, { minimumAge: '1h' }, {}];
  for (const fields of steps) {
    const before = await offered();
    const preview = (await previewPolicy(harness.db, place, policy(fields)))!;
    expect(await offered()).toEqual(before);
    await set(policy(fields), own, true);
    const after = await offered();
    expect(versions(preview.hidden)).toEqual(before.filter((one) => !after.includes(one)).toSorted());
    expect(versions(preview.appearing)).toEqual(after.filter((one) => !before.includes(one)).toSorted());
    expect(preview.hidesEverything).toBe(after.length === 0);
  }
});

describe('with attestations', () => {
  const VENDOR = vendorKeys();

  async function attest(mode: 'off' | 'report' | 'require', { publicKey } = VENDOR): Promise<void> {
    const read = readAttestations({ mode, issuer: '', identity: '', repository: '', publicKey });
    if ('faults' in read) throw new Error('The policy is valid.');
    const target = { organizationId: own.organizationId, subscriptionId: own.id, actor: SERVICE_ACTOR };
    await setAttestationPolicy(harness.db, target, read);
  }

  test('a version without a valid one is held back where the policy requires it', async () => {
    const body = await signedBy(VENDOR.privateKey, statementOf({ key: KEY, version: '2.0.0' }, live.artifact));
    host.on('/2.tar.gz.sigstore.json', answer({ headers: { 'Content-Type': 'application/json', ...CORS }, body }));
    await harness.refresh(registry);
    await set(policy({ requireAttestation: [KEY] }), own, true);
    expect(await seen()).toEqual(['-2.0.0 requireAttestation[0] "app-a"', '-1.0.0 requireAttestation[0] "app-a"']);
    await attest('report');
    await harness.refresh(registry, 1.1);
    expect(await seen()).toEqual(['+2.0.0', '-1.0.0 requireAttestation[0] "app-a"']);
  });

  test('another signer, or none, applies to what the policy requires before the next check', async () => {
    const body = await signedBy(VENDOR.privateKey, statementOf({ key: KEY, version: '2.0.0' }, live.artifact));
    host.on('/2.tar.gz.sigstore.json', answer({ headers: { 'Content-Type': 'application/json', ...CORS }, body }));
    await attest('report');
    await harness.refresh(registry);
    await set(policy({ requireAttestation: [KEY] }));
    expect(await seen()).toEqual(['+2.0.0', '-1.0.0 requireAttestation[0] "app-a"']);
    await attest('report', vendorKeys());
    expect(await routes()).toEqual({ latest: null, sent: [] });
    await attest('report');
    expect(await routes()).toEqual({ latest: '2.0.0', sent: ['2.0.0'] });
    await attest('off');
    expect(await routes()).toEqual({ latest: null, sent: [] });
  });

  test('what the policy holds back when they are required was not offered before', async () => {
    await harness.refresh(registry);
    await set(policy({ deny: ['*@2.0.0'] }));
    await attest('require');
    await set(null);
    expect(await routes()).toEqual({ latest: '1.0.0', sent: ['1.0.0'] });
  });
});

test('credentials: a copy of the registry keeps the decisions, another row of it begins without', async () => {
  await harness.refresh(registry);
  await set(policy({ deny: ['*@2.0.0'] }));
  const target = { organizationId: own.organizationId, subscriptionId: own.id, actor: SERVICE_ACTOR };
  const auth = { type: 'bearer', token: 'secret' } as const;
  await setCredentials(harness.db, harness.context.settings.secretsKeys, { ...target, auth }, () => null);
  expect(await routes()).toEqual({ latest: '1.0.0', sent: ['1.0.0'] });
  await removeCredentials(harness.db, target);
  await harness.db
    .updateTable('subscriptions')
    .set({ confirmedAt: new Date(0) })
    .where('id', '=', own.id)
    .execute();
  expect(await routes()).toEqual({ latest: null, sent: [] });
  await harness.db
    .updateTable('registries')
    .set({ nextCheckAt: new Date(0) })
    .where('id', '=', registry)
    .execute();
  await harness.refresh(registry, 1.1);
  expect(await seen()).toEqual(['-2.0.0 deny[0] "*@2.0.0"', '+1.0.0']);
});

test('decisions about versions that are not offered any more are forgotten', async () => {
  await harness.refresh(registry);
  await set(policy({ deny: ['*@2.0.0'] }));
  const known = async () =>
    (await harness.db.selectFrom('policyDecisions').where('subscriptionId', '=', own.id).select('version').execute())
      .map(({ version }) => version)
      .toSorted();
  expect(await known()).toEqual(['1.0.0', '2.0.0']);
  live.versions = live.versions.filter(({ version }) => version === '2.0.0');
  live.list();
  await harness.refresh(registry, 1.1);
  expect(await known()).toEqual(['2.0.0']);
});
