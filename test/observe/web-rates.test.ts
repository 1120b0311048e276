import { describe, expect, test } from 'vitest';
import { certificates } from '../support/fault-certificates.ts';
import { answer, type Behaviour, byMethod, CORS, type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { archive, checksum, faults, gzipped, SVG, verified, type VerifiedOptions } from '../support/live-registry.ts';

/** Hosts that answer a limited number of requests in a time, whatever they send with a refusal. */

/** As without a test: the limits are real. */
const REAL: VerifiedOptions = {
  backoff: (attempt) => 400 * 2 ** attempt,
  headersTimeout: 10_000,
  idleTimeout: 10_000,
  connectTimeout: 10_000,
};

/** A registry of `count` apps whose files are all behind a limit. @returns its URL */
function putApps(host: FaultHost, count: number, limit: (behaviour: Behaviour) => Behaviour): string {
  const on = (path: string, behaviour: Behaviour): string => host.on(path, limit(behaviour));
  const entries = Array.from({ length: count }, (_, i) => {
    const key = `app-${i}`;
    const bytes = archive(`export const key = '${key}';`);
    const versions = [
      { version: '1.0.0', artifactUrl: on(`/${key}.tar.gz`, gzipped(bytes)), artifactChecksum: checksum(bytes) },
    ];
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

/** Answers `most` requests in each window of time, and refuses the others. */
function windowOf(most: number, milliseconds: number, refusal: () => Behaviour): (behaviour: Behaviour) => Behaviour {
  let start = 0;
  let count = 0;
  return (behaviour) => (request, socket) => {
    const now = Date.now();
    if (now - start >= milliseconds) [start, count] = [now, 0];
    count += 1;
    return (count > most ? refusal() : behaviour)(request, socket);
  };
}

async function open(): Promise<FaultHost> {
  return openFaultHost({ tls: certificates().get('good') });
}

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();

describe('a host that answers 12 requests a second', () => {
  test.each<[string, number, () => Record<string, string>]>([
    ['429 without Retry-After', 429, () => ({})],
    ['429 with seconds', 429, () => ({ 'Retry-After': '1' })],
    ['429 with 0 seconds', 429, () => ({ 'Retry-After': '0' })],
    ['429 with a date', 429, () => ({ 'Retry-After': inSeconds(2) })],
    ['429 with a past date', 429, () => ({ 'Retry-After': inSeconds(-60) })],
    ['429 for a day', 429, () => ({ 'Retry-After': '86400' })],
    ['403 as GitHub sends it', 403, () => ({ 'X-RateLimit-Remaining': '0', 'Retry-After': '1' })],
    ['503 without Retry-After', 503, () => ({})],
    ['503 with seconds', 503, () => ({ 'Retry-After': '1' })],
  ])('and refuses others with %s hides no app, and has no error', async (_, status, headers) => {
    const host = await open();
    const limit = windowOf(12, 1000, () => answer({ status, headers: headers(), body: 'slow down' }));
    try {
      const { report } = await verified(putApps(host, 4, limit), REAL);
      expect(faults(report).filter((line) => !/^warning (host-limits-requests|rate-limited)/.test(line))).toEqual([]);
      expect(report.notJudged.filter(({ reason }) => /refused/.test(reason))).toEqual([]);
      expect(report.apps.map(({ visible }) => visible)).toEqual(report.apps.map(() => true));
    } finally {
      await host.close();
    }
  });
});

test('what is refused until the time limit, with others in flight, is not judged', async () => {
  const host = await open();
  const limit = windowOf(12, 60_000, () => answer({ status: 429 }));
  try {
    const { report } = await verified(putApps(host, 4, limit), {
      ...REAL,
      total: 5000,
      // No time is left for a pause without other requests.
      backoff: (attempt) => 4000 * 2 ** attempt,
    });
    expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(report.apps.map(({ visible }) => visible)).not.toContain(false);
    expect(report.apps.map(({ visible }) => visible)).toContain(null);
    const reasons = report.notJudged.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason.includes('while other requests were in flight'))).not.toEqual([]);
  } finally {
    await host.close();
  }
});

test('a file that is refused alone, after a pause, is the fault of its host', async () => {
  const host = await open();
  const url = putApps(host, 8, (behaviour) => behaviour);
  host.on('/app-3.json', answer({ status: 503, body: 'too many requests' }));
  try {
    const { report } = await verified(url, REAL);
    expect(faults(report)).toEqual(['error unreachable status-503 (metadata)']);
    expect(report.findings.find(({ rule }) => rule === 'unreachable')!.advice).toContain('limit_req');
    expect(report.apps.filter(({ visible }) => visible !== true).map(({ key }) => key)).toEqual(['app-3']);
    const times = host.requestsFor('/app-3.json').length;
    expect(times).toBeLessThan(12);
  } finally {
    await host.close();
  }
});

test('the time limit of a file does not include the wait for its turn', async () => {
  const host = await open();
  const limit = windowOf(2, 200, () => answer({ status: 429 }));
  try {
    const { report } = await verified(putApps(host, 4, limit), { ...REAL, total: 3000 });
    expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(report.apps.map(({ visible }) => visible)).toEqual(report.apps.map(() => true));
  } finally {
    await host.close();
  }
});
