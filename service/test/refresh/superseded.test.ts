import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postponeRefresh } from '../../src/db/claims.ts';
import { makeDue } from '../../src/db/registries.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  openFaultHost,
  tagged,
} from '../../../test/support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../../../test/support/live-registry.ts';
import { type RefreshHarness, openRefreshHarness } from './refresh-harness.ts';

/** A refresh that is stopped for a while, as by SIGSTOP, while another node refreshes the same registry. */

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

/** Delays the response to the next GET of a path until `resume` is called. */
interface Pause {
  reached: Promise<void>;
  resume(): void;
}

let reach = (): void => {};
let paused: { path: string; over: Promise<unknown> } | null = null;
function pauseAt(path: string): Pause {
  const over = new AbortController();
  const reached = new Promise<void>((done) => (reach = done));
  paused = { path, over: once(over.signal, 'abort') };
  return { reached, resume: () => over.abort() };
}

function serveAt(path: string, behaviour: Behaviour): string {
  return host.on(path, async (request, socket) => {
    if (request.method === 'GET' && paused?.path === path) {
      const { over } = paused;
      paused = null;
      reach();
      await over;
    }
    await behaviour(request, socket);
  });
}

/** Lists this release of the app; the documents have the same URLs. */
function serve(release: 'first' | 'second'): string {
  const bytes = archive(release);
  const version = release === 'first' ? '1.0.0' : '2.0.0';
  const artifactUrl = serveAt(`/${release}.tar.gz`, gzipped(bytes));
  const metadata = { versions: [{ version, artifactUrl, artifactChecksum: checksum(bytes) }] };
  const body = SVG.replace('<svg ', `<svg id="${release}" `);
  const icon = answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body });
  const app = {
    name: `The ${release} name`,
    description: 'Shows the time.',
    blockStyle: { iconUrl: serveAt(`/${release}.svg`, byMethod({ GET: icon })), color: '#336699' },
    appMetadataUrl: serveAt('/clock.json', tagged(JSON.stringify(metadata))),
  };
  return serveAt('/registry.json', tagged(JSON.stringify({ apps: { clock: app } })));
}

/** All rows of the registry, as they are stored. */
async function stored(id: number): Promise<unknown> {
  const { db } = harness;
  const [registries, apps, versions, icons] = await Promise.all([
    db.selectFrom('registries').where('id', '=', id).selectAll().execute(),
    db.selectFrom('apps').where('registryId', '=', id).selectAll().execute(),
    db.selectFrom('versions').where('registryId', '=', id).selectAll().orderBy('version').execute(),
    db.selectFrom('icons').selectAll().orderBy('sha256').execute(),
  ]);
  return { registries, apps, versions, icons };
}

describe('a refresh that is stopped while another node refreshes the registry discards its outcome', () => {
  test.each([
    ['the manifest', '/registry.json'],
    ['the metadata file', '/clock.json'],
    ['the artifact', '/first.tar.gz'],
    ['the icon', '/first.svg'],
  ])('if it was waiting for %s', async (_, path) => {
    const id = await harness.add(serve('first'));
    const { reached, resume } = pauseAt(path);
    const stopped = harness.refresh(id);
    await reached;
    serve('second');
    expect(await harness.refresh(id)).toMatch(/^(good|problems)$/);
    const after = await stored(id);
    resume();
    expect(await stopped).toBe('superseded');
    expect(await stored(id)).toEqual(after);
    expect(harness.lines.join()).toContain('refresh-superseded');
    expect(await harness.context.metrics.registry.metrics()).toMatch(/refreshes_total\{outcome="superseded"\} \d/);
  });

  test('if it was confirming that nothing changed', async () => {
    const id = await harness.add(serve('first'));
    for (const hours of [0, 1.1]) await harness.refresh(id, hours);
    expect((await row(id)).unchangedToken).not.toBe(null);
    const { reached, resume } = pauseAt('/clock.json');
    const stopped = harness.refresh(id, 2.2);
    await reached;
    serve('second');
    expect(await harness.refresh(id, 2.2)).toMatch(/^(good|problems)$/);
    const after = await stored(id);
    resume();
    expect(await stopped).toBe('superseded');
    expect(await stored(id)).toEqual(after);
  });

  test('also if the other refresh has not finished', async () => {
    const id = await harness.add(serve('first'));
    const early = pauseAt('/first.tar.gz');
    const stopped = harness.refresh(id);
    await early.reached;
    serve('second');
    const late = pauseAt('/second.tar.gz');
    const current = harness.refresh(id);
    await late.reached;
    early.resume();
    expect(await stopped).toBe('superseded');
    late.resume();
    expect(await current).toMatch(/^(good|problems)$/);
    const versions = await harness.db.selectFrom('versions').where('registryId', '=', id).select('version').execute();
    expect(versions).toEqual([{ version: '2.0.0' }]);
  });
});

test('a registry that is requested while it is refreshed is due again', async () => {
  const id = await harness.add(serve('first'));
  const { reached, resume } = pauseAt('/first.tar.gz');
  const running = harness.refresh(id);
  await reached;
  await makeDue(harness.db, id, 0);
  resume();
  await running;
  const { checkedAt, nextCheckAt } = await row(id);
  expect(nextCheckAt.getTime() - checkedAt!.getTime()).toBeLessThan(30_000);
  await harness.refresh(id, 0.1);
  const again = await row(id);
  expect(again.nextCheckAt.getTime() - again.checkedAt!.getTime()).toBe(3_600_000);
});

test('a registry that has been refreshed in the meantime is not postponed', async () => {
  const id = await harness.add(serve('first'));
  await harness.refresh(id);
  const { nextCheckAt } = await row(id);
  await postponeRefresh(harness.db, id, 0);
  expect((await row(id)).nextCheckAt).toEqual(nextCheckAt);
});

const row = (id: number) =>
  harness.db.selectFrom('registries').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
