import type { LookupFunction } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { answer, byMethod, CORS, type FaultHost, json, openFaultHost } from '../../../test/support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../../../test/support/live-registry.ts';
import { type RefreshHarness, openRefreshHarness } from './refresh-harness.ts';

/** Refreshes that leave the observation before its end. */

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
  harness.lines.length = 0;
});
afterEach(() => host.close());

/** @param metadata of each app, by its key @param name of the host of the metadata files and artifacts */
function serve(metadata: Record<string, object>, name = '127.0.0.1'): string {
  const icon = answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG });
  const iconUrl = host.on('/icon.svg', byMethod({ GET: icon }));
  const apps = Object.entries(metadata).map(([key, value]) => {
    const appMetadataUrl = host.on(`/${key}.json`, json(value)).replace('127.0.0.1', name);
    return [key, { name: key, description: 'D', blockStyle: { iconUrl, color: '#112233' }, appMetadataUrl }];
  });
  return host.on('/registry.json', json({ apps: Object.fromEntries(apps) }));
}

function version(text: string): { version: string; artifactUrl: string; artifactChecksum: string } {
  const bytes = archive(text);
  const artifactUrl = host.on(`/${text}.tar.gz`, gzipped(bytes));
  return { version: '1.0.0', artifactUrl, artifactChecksum: checksum(bytes) };
}

async function outcomes(): Promise<string> {
  return (await harness.context.metrics.registry.metrics())
    .split('\n')
    .filter((line) => /refreshes_total/.test(line))
    .join();
}

test('a registry with too many findings: the figures are those until then, and the next refresh goes on', async () => {
  const broken = { versions: Array.from({ length: 10_100 }, (_, i) => ({ version: `v${i}` })) };
  const id = await harness.add(serve({ good: { versions: [version('good')] }, broken, later: { versions: [] } }));
  expect(await harness.refresh(id)).toBe('unfinished');
  const line = harness.lines.find((one) => one.includes('registry-refreshed')) ?? '{}';
  const figures = JSON.parse(line) as { apps: number; artifacts: number; bytes: number };
  expect(figures).toMatchObject({ apps: 2, artifacts: 1, unchanged: false });
  expect(figures.bytes).toBeGreaterThan(JSON.stringify(broken).length);
  const { outcome, summary } = await harness.report(id);
  expect({ outcome, apps: summary.apps }).toEqual({ outcome: 'incomplete', apps: 2 });
  const { resumeAfter } = await harness.db
    .selectFrom('registries')
    .where('id', '=', id)
    .select('resumeAfter')
    .executeTakeFirstOrThrow();
  expect(resumeAfter).toBe('later');
});

test.each([
  ['the manifest', 'localhost'],
  ['a metadata file', '127.0.0.1'],
])('a machine without sockets for %s writes nothing and counts no outcome', async (_, name) => {
  const url = serve({ good: { versions: [version('good')] } }, 'localhost').replace('127.0.0.1', name);
  const id = await harness.add(url);
  expect(await harness.refresh(id)).toMatch(/^(good|problems)$/);
  const stored = async (): Promise<unknown> => {
    const { db } = harness;
    const tables = ['registries', 'apps', 'versions', 'icons', 'events'] as const;
    const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
    const [registries = [], ...others] = rows;
    // The refresh has claimed the registry, and may have shown how far it got.
    return [registries.map((row) => ({ ...row, refreshNumber: 0, unchangedToken: null, progress: null })), ...others];
  };
  const [before, counted] = [await stored(), await outcomes()];
  serve({ good: { versions: [version('other')] } }, 'localhost');
  const { outbound } = harness.context;
  const failing = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  Object.assign(harness.context, { outbound: { ...outbound, lookup: lookupFailing(failing) } });
  try {
    expect(await harness.refresh(id, 1.1)).toBe('machine-limit');
  } finally {
    Object.assign(harness.context, { outbound });
  }
  expect(await stored()).toEqual(before);
  expect(await outcomes()).toBe(counted);
  expect(await harness.refresh(id, 1.2)).toMatch(/^(good|problems)$/);
  expect(await stored()).not.toEqual(before);
});

function lookupFailing(error: Error): LookupFunction {
  return (_, __, callback) => callback(error, '', 4);
}
