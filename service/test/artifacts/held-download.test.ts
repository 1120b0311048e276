import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { ArtifactKeeper } from '../../src/artifacts/keeper.ts';
import { createOrganization } from '../../src/db/organizations.ts';
import { webApp } from '../../src/web-app.ts';
import { openBlobDirectory } from '../../../src/store/blobs/blobs.ts';
import { certificates } from '../../../test/support/fault-certificates.ts';
import { type Behaviour, type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { checksum, gzipped, type Live, putRegistry } from '../../../test/support/live-registry.ts';
import { addSubscription } from '../database-fixture.ts';
import { openRefreshHarness, type RefreshHarness } from '../refresh/refresh-harness.ts';

/** The artifact of a version during a check: while its artifact is downloaded, and afterwards. */

let harness: RefreshHarness;
let keeper: ArtifactKeeper;
let root: string;
let host: FaultHost;
let live: Live;
let registry: number;
let token: string;
let path: string;

beforeAll(async () => {
  harness = await openRefreshHarness();
  root = mkdtempSync(join(tmpdir(), 'appreg-held-'));
  const blobs = openBlobDirectory(root);
  const { db, context } = harness;
  keeper = new ArtifactKeeper({ blobs, store: await blobs.identity(), limit: 1e9, db, log: context.log });
  context.artifacts = keeper;
  // A download is held while the API is requested.
  Object.assign(context.outbound, { headersTimeout: 60_000, idleTimeout: 60_000 });
  host = await openFaultHost({ tls: certificates().get('good') });
  live = putRegistry(host);
  registry = await harness.add(live.url);
  const made = await createOrganization(db, 'Acme', null, SERVICE_ACTOR);
  token = made.token!.secret;
  path = `/api/registries/${await addSubscription(db, made.organization.id, registry)}/apps`;
});
afterAll(async () => {
  await host.close();
  await harness.stop();
  rmSync(root, { recursive: true, force: true });
});

async function statusOf(version: string, app = 'app-a'): Promise<number> {
  const service = {
    ...harness.context,
    artifacts: keeper,
    stopping: new AbortController().signal,
    async requestRefresh() {},
  };
  const headers = { authorization: `Bearer ${token}` };
  const response = await webApp(service).request(`${path}/${app}/versions/${version}/artifact`, { headers });
  await response.body?.cancel();
  return response.status;
}

/** A download that does not start before `release` is called; `requested` resolves with its request. */
function held(behaviour: Behaviour): { behaviour: Behaviour; requested: Promise<void>; release: () => void } {
  let [noteRequest, release] = [() => {}, () => {}];
  const requested = new Promise<void>((resolve) => (noteRequest = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    behaviour: async (request, socket) => {
      noteRequest();
      await released;
      await behaviour(request, socket);
    },
    requested,
    release,
  };
}

test('409 as soon as a version is listed, 404 for what is not listed, 410 once it is refused', async () => {
  expect(await statusOf('2.0.0')).toBe(409);
  const [first, second] = [held(gzipped('other bytes')), held(gzipped(live.older))];
  live.serve('2.tar.gz', first.behaviour);
  live.serve('1.tar.gz', second.behaviour);
  const refresh = harness.refresh(registry);
  await Promise.all([first.requested, second.requested]);
  expect([await statusOf('2.0.0'), await statusOf('1.0.0')]).toEqual([409, 409]);
  expect([await statusOf('3.0.0'), await statusOf('2.0.0', 'app-b')]).toEqual([404, 404]);
  first.release();
  second.release();
  await refresh;
  expect([await statusOf('2.0.0'), await statusOf('1.0.0'), await statusOf('3.0.0')]).toEqual([410, 200, 404]);
});

test('409 for a version that a later check lists, and the others are still sent', async () => {
  const third = held(gzipped(live.artifact));
  const artifactUrl = host.on('/3.tar.gz', third.behaviour);
  live.versions.unshift({ version: '3.0.0', artifactUrl, artifactChecksum: checksum(live.artifact) });
  live.list();
  const refresh = harness.refresh(registry, 2);
  await third.requested;
  expect([await statusOf('3.0.0'), await statusOf('1.0.0'), await statusOf('4.0.0')]).toEqual([409, 200, 404]);
  third.release();
  await refresh;
  expect(await statusOf('3.0.0')).toBe(200);
});

test('409 again for a refused version whose checksum was corrected, while it is downloaded', async () => {
  const again = held(gzipped('other bytes'));
  live.serve('2.tar.gz', again.behaviour);
  live.versions.find(({ version }) => version === '2.0.0')!.artifactChecksum = checksum(Buffer.from('other bytes'));
  live.list();
  const refresh = harness.refresh(registry, 4);
  await again.requested;
  expect(await statusOf('2.0.0')).toBe(409);
  again.release();
  await refresh;
  // Its bytes have the listed checksum, and are not an archive.
  expect(await statusOf('2.0.0')).toBe(410);
});
