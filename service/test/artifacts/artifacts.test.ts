import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { ArtifactKeeper } from '../../src/artifacts/keeper.ts';
import { type ReceivedArtifact } from '../../src/artifacts/receiving.ts';
import { type Service } from '../../src/context.ts';
import { createOrganization } from '../../src/db/organizations.ts';
import { webApp } from '../../src/web-app.ts';
import { fillArtifacts } from '../../src/jobs/fill-artifacts.ts';
import { openBlobBucket, openBlobDirectory } from '../../../src/store/blobs/blobs.ts';
import { certificates } from '../../../test/support/fault-certificates.ts';
import { answer, CORS, type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { gzipped, type Live, putRegistry } from '../../../test/support/live-registry.ts';
import { openObjectStore } from '../../../test/support/object-store.ts';
import { addSubscription } from '../database-fixture.ts';
import { openRefreshHarness, type RefreshHarness } from '../refresh/refresh-harness.ts';

/** Verified bytes: kept while they are verified, and handed over. */

let harness: RefreshHarness;
let root: string;
let keeper: ArtifactKeeper;
let host: FaultHost;
let live: Live;
let registry: number;
let token: string;
let other: string;
let path: string;

async function openIn(folder: string, limit = 1e9): Promise<ArtifactKeeper> {
  const blobs = openBlobDirectory(folder);
  return new ArtifactKeeper({ blobs, store: await blobs.identity(), limit, db: harness.db, log: harness.context.log });
}

beforeAll(async () => {
  harness = await openRefreshHarness();
  root = mkdtempSync(join(tmpdir(), 'appreg-artifacts-'));
  keeper = await openIn(root);
  harness.context.artifacts = keeper;
  host = await openFaultHost({ tls: certificates().get('good') });
  live = putRegistry(host);
  registry = await harness.add(live.url);
  await harness.refresh(registry);
  const made = await createOrganization(harness.db, 'Acme', null, SERVICE_ACTOR);
  token = made.token!.secret;
  other = (await createOrganization(harness.db, 'Other', null, SERVICE_ACTOR)).token!.secret;
  const id = await addSubscription(harness.db, made.organization.id, registry);
  path = `/api/registries/${id}/apps/app-a/versions`;
});
afterAll(async () => {
  await host.close();
  await harness.stop();
  rmSync(root, { recursive: true, force: true });
});

function get(
  version: string,
  headers: Record<string, string> = {},
  {
    method = 'GET',
    bearer = token,
    artifacts = keeper,
  }: { method?: string; bearer?: string; artifacts?: ArtifactKeeper | null } = {},
) {
  const service: Service = {
    ...harness.context,
    artifacts,
    stopping: new AbortController().signal,
    async requestRefresh() {},
  };
  const request = { method, headers: { authorization: `Bearer ${bearer}`, ...headers } };
  return Promise.resolve(webApp(service).request(`${path}/${version}/artifact`, request));
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
/** Versions are not waited for again within some seconds. */
const fillAgain = () => sql`update versions set keep_after = null`.execute(harness.db);
const fillRequested = () => fillArtifacts(harness.context, keeper, new AbortController().signal, true);
const statusOf = async (response: Response) => {
  await response.body?.cancel();
  return response.status;
};
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const fileOf = (bytes: Uint8Array) => {
  const name = digestOf(bytes).toString('hex');
  return join(root, name.slice(0, 2), `${name}.tar.gz`);
};

describe('the bytes of a version', () => {
  test('are those of the verification, which are not downloaded again', async () => {
    const requests = host.requestsFor('/2.tar.gz').length;
    const response = await get('2.0.0');
    expect(response.status).toBe(200);
    expect((await bytesOf(response)).equals(live.artifact)).toBe(true);
    const digest = digestOf(live.artifact);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag: `"${digest.toString('hex')}"`,
      'content-digest': `sha-256=:${digest.toString('base64')}:`,
      'content-length': String(live.artifact.length),
      'content-type': 'application/gzip',
      'content-disposition': 'attachment; filename="app-a-2.0.0.tar.gz"',
      'cache-control': 'private, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
    });
    expect(host.requestsFor('/2.tar.gz')).toHaveLength(requests);
    expect(readdirSync(join(root, 'incoming'))).toEqual([]);
  });

  test.each<[string, number, number, number]>([
    ['bytes=0-9', 206, 0, 10],
    ['bytes=10-', 206, 10, Infinity],
    ['bytes=-5', 206, -5, Infinity],
    ['bytes=5-999999', 206, 5, Infinity],
    ['BYTES = 3-3', 206, 3, 4],
    ['bytes=0-1, 4-5', 200, 0, Infinity],
    ['bytes=9-2', 200, 0, Infinity],
    ['bytes=-', 200, 0, Infinity],
    ['items=0-1', 200, 0, Infinity],
  ])('are sent for the range %s with status %i', async (range, status, from, to) => {
    const response = await get('2.0.0', { range });
    expect(response.status).toBe(status);
    const expected = live.artifact.subarray(from, to === Infinity ? undefined : to);
    expect((await bytesOf(response)).equals(expected)).toBe(true);
    expect(response.headers.get('content-length')).toBe(String(expected.length));
    expect(response.headers.has('content-range')).toBe(status === 206);
    expect(response.headers.has('content-digest')).toBe(status === 200);
  });

  test.each(['bytes=999999-', 'bytes=-0'])('are not sent for %s, which is beyond their end', async (range) => {
    const response = await get('2.0.0', { range });
    expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${live.artifact.length}`]);
  });

  test('are sent by conditions', async () => {
    const etag = `"${digestOf(live.artifact).toString('hex')}"`;
    expect((await get('2.0.0', { 'if-none-match': etag })).status).toBe(304);
    expect(await statusOf(await get('2.0.0', { range: 'bytes=0-1', 'if-range': etag }))).toBe(206);
    expect(await statusOf(await get('2.0.0', { range: 'bytes=0-1', 'if-range': '"other"' }))).toBe(200);
    expect(await statusOf(await get('2.0.0', { range: 'bytes=0-1', 'if-range': new Date().toUTCString() }))).toBe(200);
    const head = await get('2.0.0', {}, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(live.artifact.length),
      '',
    ]);
  });

  test('are sent for HEAD without regard to a range', async () => {
    for (const range of ['bytes=0-9', 'bytes=999999-']) {
      const { status, headers } = await get('2.0.0', { range }, { method: 'HEAD' });
      expect([
        status,
        headers.get('content-length'),
        headers.has('content-range'),
        headers.has('content-digest'),
      ]).toEqual([200, String(live.artifact.length), false, true]);
    }
  });

  test('are sent if they have the wanted entity tag', async () => {
    const etag = `"${digestOf(live.artifact).toString('hex')}"`;
    for (const wanted of [etag, `"other", ${etag}`, '*'])
      expect(await statusOf(await get('2.0.0', { 'if-match': wanted })), wanted).toBe(200);
    for (const wanted of ['"other"', `W/${etag}`, '']) {
      expect((await get('2.0.0', { 'if-match': wanted })).status, wanted).toBe(412);
      expect((await get('2.0.0', { 'if-match': wanted, 'if-none-match': etag })).status, wanted).toBe(412);
      expect((await get('2.0.0', { 'if-match': wanted }, { method: 'HEAD' })).status, wanted).toBe(412);
    }
  });

  test('are not sent to another organization, nor from a service that keeps none', async () => {
    expect((await get('2.0.0', {}, { bearer: other })).status).toBe(404);
    const none = await get('2.0.0', {}, { artifacts: null });
    expect([none.status, await none.text()]).toEqual([501, expect.stringContaining('--artifacts') as string]);
  });

  test.each<[string, object, number, string | null]>([
    ['pending', { state: 'pending' }, 409, null],
    ['refused', { state: 'refused', rule: 'unreachable', reason: 'It answers with 404.' }, 410, 'unreachable'],
    ['withdrawn', { withdrawnAt: new Date() }, 410, 'version-withdrawn'],
  ])('are not sent while it is %s', async (_, values, status, rule) => {
    const row = harness.db.updateTable('versions').where('registryId', '=', registry).where('version', '=', '1.0.0');
    await row.set(values).execute();
    const response = await get('1.0.0');
    expect(response.status).toBe(status);
    const { findings = [] } = (await response.json()) as { findings?: { rule: string; version: string }[] };
    expect(findings.map((one) => [one.rule, one.version])).toEqual(rule === null ? [] : [[rule, '1.0.0']]);
    await row.set({ state: 'verified', rule: null, reason: null, withdrawnAt: null }).execute();
    expect(await statusOf(await get('1.0.0'))).toBe(200);
  });

  test('that the store has lost or changed are never sent, and are fetched again', async () => {
    for (const damage of [
      () => writeFileSync(fileOf(live.artifact), Buffer.alloc(live.artifact.length, 1)),
      () => truncateSync(fileOf(live.artifact), 5),
      () => rmSync(fileOf(live.artifact)),
    ]) {
      damage();
      await fillAgain();
      const response = await get('2.0.0');
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
      expect(await fillArtifacts(harness.context, keeper, new AbortController().signal)).toBe(1);
      expect((await bytesOf(await get('2.0.0'))).equals(live.artifact)).toBe(true);
    }
  });

  test('that a subscriber waits for are found without a query for the others', async () => {
    rmSync(fileOf(live.artifact));
    expect(await statusOf(await get('2.0.0'))).toBe(503);
    await fillAgain();
    expect(await fillRequested()).toBe(0);
    expect(await statusOf(await get('2.0.0'))).toBe(503);
    expect(await fillRequested()).toBe(1);
    expect(await statusOf(await get('2.0.0'))).toBe(200);
  });

  test('stay available, with a remark, when their host has lost them', async () => {
    host.on('/2.tar.gz', answer({ status: 404, headers: CORS }));
    await harness.refresh(registry, 24 * 40);
    const { versions } = (await (
      await webApp({
        ...harness.context,
        stopping: new AbortController().signal,
        async requestRefresh() {},
      }).request(path, { headers: { authorization: `Bearer ${token}` } })
    ).json()) as { versions: Record<string, unknown>[] };
    expect(versions[0]).toMatchObject({ version: '2.0.0', offered: true, lostAt: expect.any(String) as string });
    expect((await bytesOf(await get('2.0.0'))).equals(live.artifact)).toBe(true);
    host.on('/2.tar.gz', gzipped(live.artifact));
    await harness.refresh(registry, 24 * 80);
    const row = await harness.db
      .selectFrom('versions')
      .where('registryId', '=', registry)
      .where('version', '=', '2.0.0')
      .select(['state', 'lostAt'])
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ state: 'verified', lostAt: null });
  });
});

describe('the store', () => {
  test('keeps as much as fits: what no version offers is dropped first', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'appreg-artifacts-'));
    const small = await openIn(folder, 250);
    async function add(fill: number, size = 100): Promise<string> {
      const bytes = Buffer.alloc(size, fill);
      const sha256 = digestOf(bytes).toString('hex');
      const kept = await new Promise<boolean>((resolve, reject) => {
        const copy = small.receive((file) => small.keep(registry, file, true).then(resolve, reject));
        const content = { bytes: size, sha256, sha1: '', md5: '', head: '', cut: false, decoded: null };
        copy
          .write(bytes)
          .then(() => copy.end(content))
          .then(() => setTimeout(() => resolve(false), size > 250 ? 100 : 20_000).unref(), reject);
      });
      return kept ? sha256 : '';
    }
    const [first, second] = [await add(1), await add(2)];
    // Uses are compared by milliseconds.
    await pause(2);
    await (await small.open(registry, first))!.close();
    const third = await add(3);
    expect([...(await small.kept(registry, [first, second, third]))].toSorted()).toEqual([first, third].toSorted());
    expect(await add(4, 300)).toBe('');
    expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test('is shared by two nodes, and refuses bytes of another registry', async () => {
    const second = await openIn(root);
    expect(second.store).toBe(keeper.store);
    const sha256 = digestOf(live.artifact).toString('hex');
    const kept = (await second.open(registry, sha256))!;
    expect(kept.length).toBe(live.artifact.length);
    await kept.close();
    expect(await second.open(registry + 1, sha256)).toBeNull();
    expect(statSync(fileOf(live.artifact)).size).toBe(live.artifact.length);
    expect(readFileSync(fileOf(live.artifact)).equals(live.artifact)).toBe(true);
  });

  test('may be a bucket', async () => {
    const bucket = await openObjectStore();
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_EC2_METADATA_DISABLED: 'true' };
    const place = { bucket: 'kept', prefix: 'a/', region: 'us-east-1', endpoint: bucket.endpoint, env };
    const blobs = openBlobBucket(place);
    const { db, context } = harness;
    const inBucket = new ArtifactKeeper({ blobs, store: await blobs.identity(), limit: 1e9, db, log: context.log });
    const copyOf = { ...context, artifacts: inBucket };
    const row = harness.db.updateTable('versions').where('registryId', '=', registry);
    await row.set({ lostAt: null }).execute();
    await fillAgain();
    await fillArtifacts(copyOf, inBucket, new AbortController().signal);
    const kept = [...bucket.objects.keys()].filter((key) => key.endsWith('.tar.gz'));
    expect(kept.length).toBeGreaterThan(0);
    const sha256 = digestOf(live.artifact).toString('hex');
    const opened = (await inBucket.open(registry, sha256))!;
    const parts: Uint8Array[] = [];
    for await (const part of opened.read(3, 20)) parts.push(part);
    expect(Buffer.concat(parts).equals(live.artifact.subarray(3, 20))).toBe(true);
    for (const key of kept) bucket.objects.get(key)!.bytes = Buffer.alloc(live.artifact.length);
    await expect(opened.read(0, 1).next()).rejects.toThrow('does not have the bytes');
    await bucket.close();
  });
});

test('a received file that cannot be removed is logged, and makes nothing else fail', async () => {
  const received: ReceivedArtifact[] = [];
  const bytes = Buffer.from('on a disk that can no longer be changed');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const copy = keeper.receive((file) => void received.push(file));
  await copy.write(bytes);
  await copy.end({ bytes: bytes.length, sha256, sha1: '', md5: '', head: '', cut: false, decoded: null });
  const [file] = received;
  // A folder in its place, since the tests may run as a user who can remove any file.
  rmSync(file!.path);
  mkdirSync(file!.path);
  const before = harness.lines.length;
  const full = await openIn(root, 1);
  expect(await full.keep(registry, file!, true)).toBe(false);
  await keeper.discard(file!);
  const events = harness.lines.slice(before).map((line) => (JSON.parse(line) as { event: string }).event);
  expect(events).toEqual(['artifact-not-removed', 'artifact-not-removed']);
  rmSync(file!.path, { recursive: true });
});
