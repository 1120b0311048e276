import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ObservationCache } from '../../src/observe/registry/cache.ts';
import { observe } from '../../src/observe/registry/observe.ts';
import type { WebOptions } from '../../src/observe/registry/options.ts';
import type { Part } from '../../src/observe/registry/part.ts';
import { endless, type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { archive, checksum, gzipped } from '../support/live-registry.ts';

/** The parts of an observation, and a consumer that leaves the loop. */

let host: FaultHost;
beforeAll(async () => {
  host = await openFaultHost();
});
afterAll(() => host.close());
beforeEach(() => {
  host.requests.length = 0;
});

const NOTHING_KNOWN: ObservationCache = { now: '2026-11-22T12:00:00.000Z', manifest: () => null, app: () => null };

/** A registry of as many apps, each with one version. */
function serve(count: number): string {
  const bytes = archive('one');
  const apps = Array.from({ length: count }, (_, i) => {
    const artifactUrl = host.on(`/${i}.tar.gz`, gzipped(bytes));
    const versions = [{ version: '1.0.0', artifactUrl, artifactChecksum: checksum(bytes) }];
    return [`app-${i}`, { appMetadataUrl: host.on(`/${i}.json`, json({ versions })) }];
  });
  return host.on('/registry.json', json({ apps: Object.fromEntries(apps) }));
}

const labelOf = (part: Part): string => {
  if (part.kind === 'listed') return `listed ${part.key}`;
  return part.kind === 'app' ? `app ${part.facts.key}` : part.kind;
};

async function labels(url: string, options: WebOptions): Promise<string[]> {
  const found: string[] = [];
  for await (const part of observe(url, options)) found.push(labelOf(part));
  return found;
}

const artifactRequests = (): number => host.requests.filter(({ path }) => path.endsWith('.tar.gz')).length;

test.each<[string, WebOptions]>([
  ['with results of earlier runs', { memory: NOTHING_KNOWN }],
  ['without them', {}],
])('the manifest comes first, each list before its app, the apps in order: %s', async (_, more) => {
  const found = await labels(serve(30), { announce: true, ...more });
  expect(found[0]).toBe('manifest');
  expect(found.at(-1)).toBe('end');
  const apps = Array.from({ length: 30 }, (__, i) => `app-${i}`);
  expect(found.filter((label) => label.startsWith('app '))).toEqual(apps.map((key) => `app ${key}`));
  for (const key of apps) expect(found.indexOf(`listed ${key}`)).toBeLessThan(found.indexOf(`app ${key}`));
  expect(found).toHaveLength(62);
});

test('no part is announced unless it is wanted', async () => {
  expect(await labels(serve(2), {})).toEqual(['manifest', 'app app-0', 'app app-1', 'end']);
});

test('an artifact is requested once its list was dealt with, unless it is left out', async () => {
  const url = serve(3);
  const requestedBefore: number[] = [];
  const parts = observe(url, { announce: true });
  for await (const part of parts) {
    if (part.kind !== 'listed') continue;
    if (part.key !== 'app-1')
      part.leaveOut(part.artifacts, { missing: { code: 'verified-before' }, intentional: true });
    requestedBefore.push(host.requests.filter(({ path }) => path === `/${part.key.at(-1)}.tar.gz`).length);
  }
  expect(requestedBefore).toEqual([0, 0, 0]);
  expect(new Set(host.requests.map(({ path }) => path).filter((path) => path.endsWith('.tar.gz')))).toEqual(
    new Set(['/1.tar.gz']),
  );
  expect(parts.figures.artifacts).toEqual({ listed: 3, verified: 1, fetched: 1, deferred: 0 });
});

test('nothing is requested before the first part is asked for', async () => {
  const parts = observe(serve(1))[Symbol.asyncIterator]();
  expect(host.requests).toEqual([]);
  await parts.next();
  expect(host.requests[0]?.path).toBe('/registry.json');
  await parts.return?.();
});

test.each<Part['kind']>(['manifest', 'listed', 'app'])('a loop that is left at a part “%s” ends', async (kind) => {
  const url = serve(30);
  // Only the end of the run ends this request.
  host.on('/5.tar.gz', endless());
  for await (const part of observe(url, { announce: true, memory: NOTHING_KNOWN })) if (part.kind === kind) break;
  await new Promise((resolve) => setImmediate(resolve));
  expect(artifactRequests() > 0).toBe(kind === 'app');
});

test('bytes beyond the budget interrupt the run', async () => {
  const url = serve(3);
  host.on('/1.tar.gz', endless());
  const budget = { artifacts: 9, artifactBytes: Infinity, artifactsUntil: Infinity, bytes: 2 ** 20 };
  let interrupted = false;
  const parts = observe(url, { budget });
  for await (const part of parts) if (part.kind === 'end') ({ interrupted } = part);
  expect(interrupted).toBe(true);
  expect(parts.figures.bytes).toBeLessThan(2 ** 22);
});

/** Fails for all apps but the first, as a database does that cannot be reached. */
const failing: ObservationCache = {
  ...NOTHING_KNOWN,
  async app(key) {
    if (key !== 'app-0') throw new Error(`${key} cannot be read`);
    return null;
  },
};

test('an app that cannot be read ends the loop with its error', async () => {
  await expect(labels(serve(30), { memory: failing })).rejects.toThrow('app-1 cannot be read');
});

test('the errors of apps in flight are not unhandled when the loop is left', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    for await (const part of observe(serve(30), { memory: failing })) if (part.kind === 'app') break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});
