import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DocumentFacts } from '../../src/core/facts/facts.ts';
import { keptApp, keptDocument } from '../../src/observe/registry/cache.ts';
import type { ObservationCache, RememberedApp } from '../../src/observe/registry/cache.ts';
import type { Part } from '../../src/observe/registry/part.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  openFaultHost,
  tagged,
} from '../support/fault-host.ts';
import { archive, checksum, faults, gzipped, SVG, verified, type VerifiedOptions } from '../support/live-registry.ts';

/** Observations that are repeated every hour, and the requests that they save. */

const HOUR = 3_600_000;
let host: FaultHost;
let manifest: DocumentFacts | null;
const apps = new Map<string, RememberedApp>();
beforeAll(async () => {
  host = await openFaultHost();
});
afterAll(() => host.close());
beforeEach(() => {
  manifest = null;
  apps.clear();
});

function memoryAt(moment: number): ObservationCache {
  const now = new Date(moment).toISOString();
  return {
    now,
    daily: true,
    manifest: () => manifest,
    app: async (key) => apps.get(key) ?? null,
  };
}

/** Adds what an observation has found to the results of earlier ones. */
function keep(part: Part, now: string): void {
  if (part.kind === 'manifest' && part.asObserved !== null)
    manifest = keptDocument(part.asObserved, now, () => true) ?? manifest;
  if (part.kind !== 'app') return;
  const facts = part.asObserved;
  const kept = keptApp(facts, apps.get(facts.key) ?? null, now, () => true);
  if (kept) apps.set(facts.key, kept);
}

/** Two apps with an icon and a version each. */
function put(suffix = ''): string {
  const bytes = archive('one');
  const listed: Record<string, object> = {};
  for (const key of ['a', 'b']) {
    listed[key] = {
      name: `App ${key}${suffix}`,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/${key}.svg`, color: '#336699' },
      appMetadataUrl: `${host.origin}/${key}.json`,
    };
    const version = {
      version: '1.0.0',
      artifactUrl: `${host.origin}/${key}.tar.gz`,
      artifactChecksum: checksum(bytes),
    };
    host.on(`/${key}.json`, tagged(JSON.stringify({ versions: [version] })));
    host.on(`/${key}.tar.gz`, gzipped(bytes));
    host.on(
      `/${key}.svg`,
      byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }),
    );
  }
  return host.on('/registry.json', tagged(JSON.stringify({ apps: listed })));
}

async function look(hours: number, options: VerifiedOptions = {}): Promise<{ sent: string[]; faults: string[] }> {
  host.requests.length = 0;
  const memory = memoryAt(Date.now() + hours * HOUR);
  const onPart = (part: Part): void => keep(part, memory.now);
  const { report } = await verified(`${host.origin}/registry.json`, { memory, onPart, ...options });
  return { sent: host.requests.map(({ method, path }) => `${method} ${path}`).sort(), faults: faults(report) };
}

/** Responds with 304 to every conditional request. */
const frozen = (name: string): Behaviour =>
  byMethod({
    GET: (request, socket) => {
      const status = request.headers['if-none-match'] === undefined ? 200 : 304;
      return answer({
        status,
        headers: { ...CORS, ETag: '"x"', 'Content-Type': 'application/json' },
        body: JSON.stringify({ apps: {}, name }),
      })(request, socket);
    },
  });

describe('an hourly observation', () => {
  test('sends one conditional request for each unchanged document', async () => {
    put();
    const first = await look(0);
    expect(first.sent.length).toBeGreaterThan(15);
    const second = await look(1);
    expect(second.sent).toEqual(['GET /a.json', 'GET /b.json', 'GET /registry.json']);
    expect(host.requests.every(({ headers }) => headers['if-none-match'] !== undefined)).toBe(true);
    expect(second.faults).toEqual(first.faults);
  });

  test('sends the requests of browsers once a day', async () => {
    put();
    const first = await look(0);
    await look(23);
    expect((await look(25)).sent.filter((one) => one.startsWith('OPTIONS')).length).toBeGreaterThan(0);
    expect((await look(26)).sent).toEqual(['GET /a.json', 'GET /b.json', 'GET /registry.json']);
    expect((await look(49)).faults).toEqual(first.faults);
  });

  test('sends all requests for a changed document again', async () => {
    put();
    await look(0);
    put(' renamed');
    const { sent } = await look(1);
    expect(sent.filter((one) => one.includes('/registry.json')).length).toBeGreaterThan(1);
    expect(sent.filter((one) => one.includes('/a.json'))).toEqual(['GET /a.json']);
    expect((await look(2)).sent).toEqual(['GET /a.json', 'GET /b.json', 'GET /registry.json']);
  });

  test('reports a host with incorrect 304 responses again, and fetches the changed document', async () => {
    put();
    host.on('/registry.json', frozen('one'));
    const first = await look(0);
    expect(first.faults.join()).toContain('not-modified-incorrect');
    host.on('/registry.json', frozen('two'));
    const second = await look(1);
    expect(second.faults.join()).toContain('not-modified-incorrect');
    expect(JSON.stringify(manifest)).toContain('two');
  });
});

test('apps are observed in the given order, and artifacts within the budget', async () => {
  put();
  const icons: [string | null, number | null][] = [];
  const {
    apps: seen,
    report,
    figures,
  } = await verified(`${host.origin}/registry.json`, {
    startAfter: 'a',
    budget: { artifacts: 1, artifactBytes: Infinity, artifactsUntil: Infinity, bytes: Infinity },
    iconBytes: SVG.length,
    onPart(part) {
      if (part.kind === 'app' && part.icon !== null) icons.push([part.facts.icon.url, part.icon.bytes?.length ?? null]);
    },
  });
  expect(seen.map(({ key }) => key)).toEqual(['b', 'a']);
  expect(report.notJudged.some(({ code }) => code === 'over-budget')).toBe(true);
  expect(figures.artifacts).toEqual({ listed: 2, verified: 1, fetched: 1, deferred: 1 });
  expect(icons).toEqual(['b', 'a'].map((key) => [`${host.origin}/${key}.svg`, SVG.length]));
  const { report: small } = await verified(`${host.origin}/registry.json`, { limits: { artifact: 10 } });
  expect(faults(small)).toContain('error unreachable too-large (artifact 1.0.0)');
});
