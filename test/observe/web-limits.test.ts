import { describe, expect, test } from 'vitest';
import { certificates } from '../support/fault-certificates.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  json,
  type Limits,
  openFaultHost,
} from '../support/fault-host.ts';
import { archive, checksum, faults, gzipped, SVG, verified } from '../support/live-registry.ts';

/** Hosts that answer so many requests at once, or keep so many connections, and hosts that fail now and then. */

const APPS = 24;
const STATUS_503 = answer({ status: 503, body: 'too many requests at once' });
const STATUS_429 = answer({ status: 429, body: 'too many requests at once' });

/** A registry of many apps on one host. @returns its URL */
function putApps(
  host: FaultHost,
  wrap: (behaviour: Behaviour) => Behaviour = (behaviour) => behaviour,
  count = APPS,
): string {
  const keys = Array.from({ length: count }, (_, i) => `app-${i}`);
  const on = (path: string, behaviour: Behaviour): string => host.on(path, wrap(behaviour));
  const entries = keys.map((key) => {
    const bytes = archive(`export const key = '${key}';`);
    const artifactUrl = on(`/${key}.tar.gz`, gzipped(bytes));
    const versions = [{ version: '1.0.0', artifactUrl, artifactChecksum: checksum(bytes) }];
    const icon = answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG });
    const app = {
      name: key,
      description: 'Does a thing.',
      blockStyle: { iconUrl: on(`/${key}.svg`, byMethod({ GET: icon })), color: '#336699' },
      appMetadataUrl: on(`/${key}.json`, json({ versions })),
    };
    return [key, app] as const;
  });
  return on('/registry.json', json({ apps: Object.fromEntries(entries) }));
}

async function open(limits: Limits): Promise<FaultHost> {
  return openFaultHost({ tls: certificates().get('good'), limits });
}

const PATIENT = { headersTimeout: 10_000, idleTimeout: 10_000, connectTimeout: 10_000, backoff: () => 40 };

describe('a limit of parallel requests', () => {
  // Each delay is longer than the pauses of a busy machine, which let requests overlap that would not do so otherwise.
  test.each<{ name: string; limits: Limits; most: number; cause: string }>([
    { name: '8 requests (503)', limits: { requests: 8, refusal: STATUS_503, delay: 80 }, most: 8, cause: 'requests' },
    { name: '8 requests (429)', limits: { requests: 8, refusal: STATUS_429, delay: 80 }, most: 8, cause: 'requests' },
    { name: '3 requests (503)', limits: { requests: 3, refusal: STATUS_503, delay: 40 }, most: 3, cause: 'requests' },
    { name: '1 request (503)', limits: { requests: 1, refusal: STATUS_503, delay: 5 }, most: 1, cause: 'requests' },
    { name: '10 connections', limits: { connections: 10, delay: 10 }, most: 10, cause: 'connections' },
    { name: '4 connections', limits: { connections: 4, delay: 10 }, most: 4, cause: 'connections' },
  ])('of $name leaves every app visible, and is reported once', async ({ limits, most, cause }) => {
    const host = await open(limits);
    try {
      const { report } = await verified(putApps(host), PATIENT);
      expect(faults(report)).toEqual([`warning host-limits-requests ${cause} (manifest)`]);
      expect(report.apps.filter(({ visible }) => visible !== true)).toEqual([]);
      const { evidence } = report.findings.find(({ rule }) => rule === 'host-limits-requests')!;
      // The host and the client do not see the end of a request at the same moment.
      expect(Math.abs(Number(evidence['limit']) - most)).toBeLessThanOrEqual(1);
    } finally {
      await host.close();
    }
  });

  test('is not reported for a host that answers all requests', async () => {
    const host = await open({ delay: 2 });
    try {
      const { report } = await verified(putApps(host), PATIENT);
      expect(faults(report)).toEqual([]);
      expect(host.peak).toBeGreaterThan(12);
    } finally {
      await host.close();
    }
  });
});

test.each([
  { name: 'every tenth request fails', every: 10 },
  { name: 'every seventh request fails', every: 7 },
])('a host is intermittent, not limited, if $name', async ({ every }) => {
  const host = await open({ delay: 2 });
  let count = 0;
  const failed = new Set<string>();
  const url = putApps(host, (behaviour) => (request, socket) => {
    count += 1;
    // Each of them once, so that the next attempt succeeds.
    if (count % every !== 0 || failed.has(request.path)) return behaviour(request, socket);
    failed.add(request.path);
    return STATUS_503(request, socket);
  });
  try {
    const { report } = await verified(url, PATIENT);
    const found = new Set(faults(report).map((fault) => fault.split(' ')[1]));
    expect(found).toContain('host-intermittent');
    expect(found).not.toContain('host-limits-requests');
    expect(report.apps.filter(({ visible }) => visible !== true)).toEqual([]);
  } finally {
    await host.close();
  }
});

describe('artifacts that their host refuses with 503', () => {
  test.each([1, 3, 12])('of %i versions of one app leave all other apps judged', async (broken) => {
    const host = await open({ delay: 2 });
    const first = Array.from({ length: broken }, (_, patch) => ({
      version: `1.0.${patch}`,
      artifactUrl: host.on(`/broken-${patch}.tar.gz`, STATUS_503),
      artifactChecksum: checksum(archive(`broken ${patch}`)),
    }));
    // More apps than are observed at once: the others wait for the first one.
    const url = putApps(host, undefined, 40);
    host.on('/app-0.json', json({ versions: first }));
    try {
      const { report } = await verified(url, { ...PATIENT, concurrency: 4 });
      expect(report.apps.filter(({ visible }) => visible !== true).map(({ key }) => key)).toEqual(['app-0']);
      expect(report.notJudged.filter(({ reason }) => reason.includes('no more requests'))).toEqual([]);
    } finally {
      await host.close();
    }
  });

  test('of all apps end the requests for artifacts, not those for documents', async () => {
    const host = await open({ delay: 2 });
    const url = putApps(host, undefined, 60);
    for (let i = 0; i < 60; i += 1) host.on(`/app-${i}.tar.gz`, STATUS_503);
    try {
      const { report } = await verified(url, PATIENT);
      const stopped = report.notJudged.filter(({ reason }) => reason.includes('no more requests'));
      expect(stopped).not.toEqual([]);
      expect(stopped.filter(({ resource }) => resource === 'metadata')).toEqual([]);
      const artifacts = host.requests.filter(({ path }) => path.endsWith('.tar.gz'));
      expect(new Set(artifacts.map(({ path }) => path)).size).toBeLessThan(60);
    } finally {
      await host.close();
    }
  });

  test('with everything else end all requests', async () => {
    const host = await open({ delay: 0 });
    let isOut = false;
    const url = putApps(
      host,
      (behaviour) => (request, socket) => {
        isOut ||= request.path === '/app-3.json';
        return (isOut ? STATUS_503 : behaviour)(request, socket);
      },
      90,
    );
    try {
      const { report } = await verified(url, { ...PATIENT, concurrency: 4 });
      expect(report.notJudged.filter(({ reason }) => reason.includes('no more requests'))).not.toEqual([]);
      // Of 271 files. How often each is requested depends on the load.
      expect(new Set(host.requests.map(({ path }) => path)).size).toBeLessThan(90);
    } finally {
      await host.close();
    }
  });
});
