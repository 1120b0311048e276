import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ArtifactKeeper } from '../../src/artifacts/keeper.ts';
import { openStoreState, registerStoreMetrics, storeStateOf } from '../../src/artifacts/state.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { setCredentials } from '../../src/db/private-registries.ts';
import { secretsKeyIn } from '../../src/config/secrets-keys.ts';
import { createOrganization } from '../../src/db/organizations.ts';
import { webApp } from '../../src/web-app.ts';
import { type BlobStore, openBlobBucket, openBlobDirectory } from '../../../src/store/blobs/blobs.ts';
import { type ObjectStore, openObjectStore } from '../../../test/support/object-store.ts';
import { addApp, addRegistry, addSubscription } from '../database-fixture.ts';
import { openRefreshHarness, type RefreshHarness } from '../refresh/refresh-harness.ts';

/** Copies of artifacts that their hosts have lost: who may push them out, and what happens when they are gone. */

interface Tenant {
  organization: string;
  subscription: string;
  token: string;
  registry: number;
  /** Of the API. */
  app: string;
}

const SIZE = 1000;
let harness: RefreshHarness;
let bucket: ObjectStore;
let folder: string;
let tenants = 0;

beforeAll(async () => {
  harness = await openRefreshHarness();
  bucket = await openObjectStore();
});
afterAll(async () => {
  await harness.stop();
  await bucket.close();
});
beforeEach(async () => {
  await sql`TRUNCATE artifacts, subscriptions, registries CASCADE`.execute(harness.db);
  folder = mkdtempSync(join(tmpdir(), 'appreg-last-copies-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

/** @param versions of its app `app` */
async function addTenant(versions: string[]): Promise<Tenant> {
  tenants += 1;
  const { organization, token } = await createOrganization(harness.db, `Tenant ${tenants}`, null, SERVICE_ACTOR);
  const registry = await addRegistry(harness.db, `https://tenant-${tenants}.example.com/`);
  const rows = versions.map((version) => [
    version,
    { artifactChecksum: `sha256:${digestOf(registry, version)}`, bytes: SIZE, verifiedAt: new Date() },
  ]);
  await addApp(harness.db, registry, 'app', {}, Object.fromEntries(rows) as Record<string, object>);
  const id = await addSubscription(harness.db, organization.id, registry);
  return {
    organization: organization.id,
    subscription: id,
    token: token!.secret,
    registry,
    app: `/api/registries/${id}/apps/app`,
  };
}

const bytesOf = (registry: number, version: string) => Buffer.alloc(SIZE, `${registry} ${version} `);
const digestOf = (registry: number, version: string) =>
  createHash('sha256').update(bytesOf(registry, version)).digest('hex');
const fileOf = (registry: number, version: string) => {
  const name = digestOf(registry, version);
  return join(folder, name.slice(0, 2), `${name}.tar.gz`);
};

async function openWith(blobs: BlobStore, limit: number): Promise<ArtifactKeeper> {
  const { db, context } = harness;
  const onLost = (lost: number) => context.metrics.lastCopiesLost.inc(lost);
  const keeper = new ArtifactKeeper({ blobs, store: await blobs.identity(), limit, db, log: context.log, onLost });
  await keeper.tidy();
  return keeper;
}
const openFolder = (limit: number) => openWith(openBlobDirectory(folder), limit);
const openBucket = (limit: number) =>
  openWith(
    openBlobBucket(
      {
        bucket: 'kept',
        prefix: `${tenants}/`,
        region: 'us-east-1',
        endpoint: bucket.endpoint,
        env: { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's', AWS_EC2_METADATA_DISABLED: 'true' },
      },
      folder,
    ),
    limit,
  );

/** As after a fetch that a subscriber has requested. */
async function fetchInto(keeper: ArtifactKeeper, { registry }: Tenant, version: string): Promise<boolean> {
  const bytes = bytesOf(registry, version);
  const keeping: Promise<boolean>[] = [];
  const copy = keeper.receive((file) => void keeping.push(keeper.keep(registry, file, true)));
  await copy.write(bytes);
  const sha256 = digestOf(registry, version);
  await copy.end({ bytes: SIZE, sha256, sha1: '', md5: '', head: '', cut: false, decoded: null });
  return keeping[0]!;
}

const lose = ({ registry }: Tenant, versions: string[]) =>
  harness.db
    .updateTable('versions')
    .set({ lostAt: new Date() })
    .where('registryId', '=', registry)
    .where('version', 'in', versions)
    .execute();

const api = (keeper: ArtifactKeeper | null) =>
  webApp({ ...harness.context, artifacts: keeper, stopping: new AbortController().signal, async requestRefresh() {} });

async function get(keeper: ArtifactKeeper, { token, app }: Tenant, version: string, method = 'GET') {
  const path = `${app}/versions/${version}/artifact`;
  const response = await api(keeper).request(path, { method, headers: { authorization: `Bearer ${token}` } });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, body, type: response.headers.get('content-type') };
}

async function stateOf(keeper: ArtifactKeeper, { token, app }: Tenant) {
  const headers = { authorization: `Bearer ${token}` };
  const { versions } = (await (await api(keeper).request(`${app}/versions`, { headers })).json()) as {
    versions: { version: string; offered: boolean; state: string; reason: { message: string } | null }[];
  };
  const { visible, latest } = (await (await api(keeper).request(app, { headers })).json()) as {
    visible: boolean;
    latest: string | null;
  };
  const events = await harness.db
    .selectFrom('events')
    .where('appKey', '=', 'app')
    .orderBy('sequence')
    .select(['type', 'version'])
    .execute();
  return {
    offered: versions.filter(({ offered }) => offered).map(({ version }) => version),
    refused: versions.filter(({ state }) => state === 'refused').map(({ version }) => version),
    reason: versions.find(({ state }) => state === 'refused')?.reason?.message ?? null,
    visible,
    latest,
    events: events.map(({ type, version }) => (version === null ? type : `${type} ${version}`)),
  };
}

const VERSIONS = ['1.0.0', '2.0.0', '3.0.0', '4.0.0', '5.0.0', '6.0.0'];

describe.each([
  ['a folder', openFolder],
  ['a bucket', openBucket],
] as const)('a last copy in %s', (_, open) => {
  test('is not pushed out by another organization, also after a restart and with two nodes', async () => {
    const [a, b] = [await addTenant(['1.0.0']), await addTenant(VERSIONS)];
    const first = await open(4 * SIZE);
    expect(await fetchInto(first, a, '1.0.0')).toBe(true);
    await lose(a, ['1.0.0']);
    const second = await open(4 * SIZE);
    await Promise.all(VERSIONS.map((version, index) => fetchInto(index % 2 === 0 ? first : second, b, version)));
    const restarted = await open(4 * SIZE);
    const total = (await restarted.files()).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total).toBeLessThanOrEqual(4 * SIZE);
    expect((await get(restarted, a, '1.0.0')).body.equals(bytesOf(a.registry, '1.0.0'))).toBe(true);
    expect((await stateOf(restarted, a)).offered).toEqual(['1.0.0']);
  });

  test('that exceeds the share of its own organization makes room for it, and the version is refused', async () => {
    const [a, b] = [await addTenant(VERSIONS), await addTenant(VERSIONS)];
    const keeper = await open(4 * SIZE);
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await fetchInto(keeper, a, version);
    await lose(a, ['1.0.0', '2.0.0', '3.0.0']);
    expect(await fetchInto(keeper, b, '1.0.0')).toBe(true);
    // Its own share is two files: it has room for a file, but not by those of the other one.
    expect(await fetchInto(keeper, b, '2.0.0')).toBe(true);
    expect(await get(keeper, b, '1.0.0')).toMatchObject({ status: 503 });
    expect(await fetchInto(keeper, a, '4.0.0')).toBe(true);
    expect(await stateOf(keeper, a)).toMatchObject({ refused: ['1.0.0'], latest: '6.0.0', visible: true });
    expect(await get(keeper, a, '1.0.0')).toMatchObject({ status: 410 });
  });

  test.each(['GET', 'HEAD'])('that is gone is refused by %s with 410, with its events', async (method) => {
    const a = await addTenant(['1.0.0', '2.0.0']);
    const keeper = await open(1e6);
    for (const version of ['1.0.0', '2.0.0']) await fetchInto(keeper, a, version);
    await lose(a, ['1.0.0', '2.0.0']);
    if (open === openFolder) rmSync(fileOf(a.registry, '2.0.0'));
    else
      for (const key of bucket.objects.keys())
        if (key.includes(digestOf(a.registry, '2.0.0'))) bucket.objects.delete(key);
    expect((await get(keeper, a, '2.0.0', method)).status).toBe(410);
    expect(await stateOf(keeper, a)).toEqual({
      offered: ['1.0.0'],
      refused: ['2.0.0'],
      reason: 'Its host no longer has the artifact, and this service has no copy of it any more.',
      visible: true,
      latest: '1.0.0',
      events: ['version-refused 2.0.0'],
    });
    for (const key of bucket.objects.keys())
      if (open === openBucket) bucket.objects.get(key)!.bytes = Buffer.alloc(SIZE);
    if (open === openFolder) writeFileSync(fileOf(a.registry, '1.0.0'), Buffer.alloc(SIZE));
    expect((await get(keeper, a, '1.0.0')).status).toBe(410);
    expect(await stateOf(keeper, a)).toMatchObject({
      offered: [],
      visible: false,
      latest: null,
      events: ['version-refused 2.0.0', 'version-refused 1.0.0', 'app-hidden'],
    });
  });
});

test('a lowered limit drops what the hosts still have, and last copies only above the share', async () => {
  const [a, b] = [await addTenant(VERSIONS), await addTenant(VERSIONS)];
  const keeper = await openFolder(1e6);
  for (const version of ['1.0.0', '2.0.0', '3.0.0']) await fetchInto(keeper, a, version);
  for (const version of ['1.0.0', '2.0.0']) await fetchInto(keeper, b, version);
  await lose(a, ['1.0.0', '2.0.0', '3.0.0']);
  await lose(b, ['1.0.0']);
  const lowered = await openFolder(3 * SIZE);
  expect((await stateOf(lowered, a)).refused).toEqual(['1.0.0']);
  expect((await stateOf(lowered, b)).refused).toEqual([]);
  expect((await lowered.files()).map(({ last }) => last)).toEqual([true, true, true]);
  expect(await storeStateOf(lowered, openStoreState(lowered))).toBe('full');
  expect((await get(lowered, b, '2.0.0')).status).toBe(501);
});

test('a last copy that was deleted by hand is found without a request', async () => {
  const a = await addTenant(['1.0.0']);
  const keeper = await openFolder(1e6);
  await fetchInto(keeper, a, '1.0.0');
  await lose(a, ['1.0.0']);
  await keeper.checkLastCopies(new AbortController().signal);
  expect((await stateOf(keeper, a)).offered).toEqual(['1.0.0']);
  writeFileSync(fileOf(a.registry, '1.0.0'), 'short');
  await keeper.checkLastCopies(new AbortController().signal);
  expect((await stateOf(keeper, a)).refused).toEqual(['1.0.0']);
});

test('a last copy stays with the organization that sets credentials for the registry, and with the others', async () => {
  const [a, b] = [await addTenant(['1.0.0', '2.0.0']), await addTenant([])];
  const keeper = await openFolder(1e6);
  for (const version of ['1.0.0', '2.0.0']) await fetchInto(keeper, a, version);
  await lose(a, ['1.0.0']);
  await addSubscription(harness.db, b.organization, a.registry);
  const target = { organizationId: a.organization, subscriptionId: a.subscription, actor: SERVICE_ACTOR };
  const keys = [secretsKeyIn(Buffer.alloc(32).toString('base64'))!];
  const auth = { type: 'bearer', token: 'x' } as const;
  const moved = await setCredentials(harness.db, keys, { ...target, auth }, () => null);
  const { registryId } = moved as { registryId: number };
  expect(registryId).not.toBe(a.registry);
  for (const version of ['1.0.0', '2.0.0'])
    expect((await get(keeper, a, version)).body.equals(bytesOf(a.registry, version)), version).toBe(true);
  // What a check goes by if the host does not have the artifact with the credentials either.
  expect(await keeper.kept(registryId, [digestOf(a.registry, '1.0.0')])).toEqual(
    new Set([digestOf(a.registry, '1.0.0')]),
  );
  await keeper.checkLastCopies(new AbortController().signal);
  rmSync(fileOf(a.registry, '1.0.0'));
  await keeper.checkLastCopies(new AbortController().signal);
  expect(await stateOf(keeper, a)).toMatchObject({ offered: ['2.0.0'], refused: ['1.0.0'] });
});

test('a store that cannot be written says so until it can', async () => {
  const a = await addTenant(['1.0.0', '2.0.0']);
  const keeper = await openFolder(1e6);
  const state = () => storeStateOf(keeper, openStoreState(keeper));
  const incoming = join(folder, 'incoming');
  rmSync(incoming, { recursive: true });
  writeFileSync(incoming, 'in the way, as a full disk would be');
  expect(await fetchInto(keeper, a, '1.0.0')).toBeUndefined();
  expect(await state()).toBe('write-failed');
  const registry = new Registry();
  registerStoreMetrics(registry, keeper, async () => null);
  expect(await registry.metrics()).toContain('appreg_artifact_write_failed 1\n');
  rmSync(incoming);
  expect(await fetchInto(keeper, a, '1.0.0')).toBe(true);
  expect(await state()).toBe('available');
  expect(await registry.metrics()).toContain('appreg_artifact_write_failed 0\n');
});

test('a store whose disk is not mounted has lost nothing', async () => {
  const a = await addTenant(['1.0.0']);
  const keeper = await openFolder(1e6);
  await fetchInto(keeper, a, '1.0.0');
  await lose(a, ['1.0.0']);
  const state = () => storeStateOf(keeper, openStoreState(keeper));
  expect(await state()).toBe('available');
  renameSync(folder, `${folder}-away`);
  harness.lines.length = 0;
  expect((await get(keeper, a, '1.0.0')).status).toBe(503);
  expect(harness.lines.filter((line) => line.includes('"artifact-store-unavailable"'))).toHaveLength(1);
  expect(await state()).toBe('unavailable');
  await expect(keeper.checkLastCopies(new AbortController().signal)).rejects.toThrow('cannot be used at the moment');
  expect((await stateOf(keeper, a)).offered).toEqual(['1.0.0']);
  renameSync(`${folder}-away`, folder);
  expect((await get(keeper, a, '1.0.0')).status).toBe(200);
  expect(readdirSync(folder)).not.toEqual([]);
});
