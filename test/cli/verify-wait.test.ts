import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { certificates } from '../support/fault-certificates.ts';
import { runsIn, sameOf } from '../support/cli-runs.ts';
import { answer, type FaultHost, inTurn, json, openFaultHost, tagged } from '../support/fault-host.ts';
import { gzipped, type Live, putRegistry } from '../support/live-registry.ts';

/** `verify --wait`: looks again until what was published is there, and says when everybody will see it. */

let host: FaultHost;
let live: Live;
let folder: string;
let runs: ReturnType<typeof runsIn>;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
});
afterAll(() => host.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'appreg-waiting-'));
  writeFileSync(join(folder, 'ca.pem'), certificates().ca);
  runs = runsIn(folder, 'ca.pem');
  live = putRegistry(host);
  host.requests.length = 0;
  return () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  };
});

/** The metadata file lists version 2.0.0 only after so many milliseconds. */
function listAfter(milliseconds: number): void {
  const moment = Date.now() + milliseconds;
  const [before, after] = [live.versions.slice(1), live.versions].map((versions) =>
    tagged(JSON.stringify({ versions })),
  );
  live.serve('a.json', (request, socket) => (Date.now() < moment ? before! : after!)(request, socket));
}

const APP = { app: ['app-a'], versions: '2.0.0' };
const SEEN =
  /^All subscribers will receive this by \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, in 1 h 5 min at the latest: caches may hold an older copy for 5 min, and the service checks hourly\.$/;

describe('what is there already', () => {
  test.each([APP, {}, { app: ['app-a'] }])('ends at once: %j', async (options) => {
    const { code, said, report } = await runs.verify(live.url, { ...options, wait: '10m' });
    expect(code).toBe(0);
    expect(said).toEqual([expect.stringMatching(SEEN)]);
    expect(report.outcome).not.toBe('incomplete');
    expect(host.requests.filter((r) => r.path === '/registry.json' && r.method === 'HEAD')).toHaveLength(1);
  });

  test('a fault of another app is not waited for', async () => {
    live.serve('registry.json', async (request, socket) => {
      const entry = {
        name: 'x',
        description: 'x',
        blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
        appMetadataUrl: `${host.origin}/a.json`,
      };
      await json({ apps: { 'app-a': entry, b: { ...entry, appMetadataUrl: `${host.origin}/none.json` } } })(
        request,
        socket,
      );
    });
    expect((await runs.verify(live.url, { ...APP, wait: '1s' })).code).toBe(0);
    expect((await runs.verify(live.url, { wait: '1s' })).code).toBe(1);
  });
});

describe('what comes later', () => {
  test('one version of a range is enough', async () => {
    listAfter(600_000);
    const { code, said, report } = await runs.verify(live.url, { ...APP, versions: '>=1', wait: '20s' });
    expect([code, said.length, report.summary.versions]).toEqual([0, 1, 1]);
  });

  test('a version: its artifact is not asked for before it is listed, and nothing is asked for twice', async () => {
    listAfter(1200);
    const second = await runs.verify(live.url, { ...APP, wait: '20s' });
    expect(second.code).toBe(0);
    expect(second.said).toEqual([
      expect.stringMatching(/^Waiting until \S+Z: app-a: no version 2\.0\.0 is listed\.$/),
      expect.stringMatching(SEEN),
    ]);
    expect(second.report.apps).toMatchObject([{ key: 'app-a', latest: '2.0.0' }]);
    const plain = host.requests.filter((r) => r.method === 'GET' && r.headers['origin'] === undefined);
    const polls = plain.flatMap((r, i) => (r.path === '/registry.json' ? [i] : []));
    const artifacts = plain.flatMap((r, i) => (r.path === '/2.tar.gz' ? [i] : []));
    expect(artifacts).toHaveLength(1);
    expect(artifacts[0]).toBeGreaterThan(polls.at(-1)!);
    expect(plain.filter((r) => r.path === '/a.json' && r.headers['if-none-match'] === undefined)).toHaveLength(1);
    expect(plain.filter((r) => r.path === '/1.tar.gz')).toEqual([]);
  });

  test('an app', async () => {
    const without = json({ apps: {} });
    const moment = Date.now() + 1200;
    const entry = {
      name: 'App A',
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
      appMetadataUrl: `${host.origin}/a.json`,
    };
    live.serve('registry.json', (request, socket) =>
      (Date.now() < moment ? without : json({ apps: { 'app-a': entry } }))(request, socket),
    );
    const { code, said } = await runs.verify(live.url, { app: ['app-a'], wait: '20s' });
    expect(code).toBe(0);
    expect(said[0]).toMatch(/app-a is not in the manifest\.$/);
  });

  test('the manifest itself, and an artifact that is listed too early', async () => {
    // A missing file is requested up to eleven times in one run.
    const missing = Array.from({ length: 11 }, () => answer({ status: 404 }));
    live.serve('registry.json', inTurn(...missing, json({ apps: {} })));
    const first = await runs.verify(live.url, { wait: '10s' });
    expect([first.code, first.said[0]]).toEqual([0, expect.stringMatching(/: manifest: unreachable\.$/)]);
    live = putRegistry(host);
    live.serve('2.tar.gz', inTurn(...missing, gzipped(live.artifact)));
    const second = await runs.verify(live.url, { ...APP, wait: '10s' });
    expect([second.code, second.said[0]]).toEqual([0, expect.stringMatching(/: app-a 2\.0\.0: unreachable\.$/)]);
  });
});

describe('what does not come', () => {
  test('a version: 1, with what is missing, in the report too', async () => {
    const { code, said, report, out } = await runs.verify(live.url, {
      app: ['app-a', 'app-b'],
      versions: '3.0.0',
      wait: '1.2s',
      save: 'facts.json',
    });
    expect(code).toBe(1);
    const missing = 'app-a: no version 3.0.0 is listed; app-b is not in the manifest';
    expect(said.at(-1)).toBe(`Timed out after 1.2s. Still missing: ${missing}.`);
    expect(report.outcome).toBe('incomplete');
    expect(report.notJudged).toContainEqual(
      expect.objectContaining({ rule: '*', resource: null, reason: `not there yet: ${missing}` }),
    );
    expect(JSON.parse(out)).toEqual(report);
    expect(sameOf((await runs.judge('facts.json')).report)).toEqual(sameOf(report));
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('a registry without errors: 1, with the report', async () => {
    live.serve('2.tar.gz', gzipped(live.older));
    const { code, said, report } = await runs.verify(live.url, { wait: '1.2s' });
    expect(code).toBe(1);
    expect(said.at(-1)).toBe('Timed out after 1.2s. Still missing: app-a 2.0.0: artifact-checksum-mismatch.');
    expect(report.findings.map((f) => f.rule)).toContain('artifact-checksum-mismatch');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the pause: %i, with the report, and nothing is left behind', async (signal, exit) => {
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, folder);
    setTimeout(() => process.emit(signal, signal), 1500);
    const { code, report } = await runs.verify(live.url, { ...APP, versions: '3.0.0', wait: '10m' });
    expect([code, report.outcome]).toEqual([exit, 'incomplete']);
    expect(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')).toBe(0);
    expect(readdirSync(folder)).toEqual(['ca.pem']);
  });
});

test.each(['', '10', 'soon', '0s', '-5s', '5 m', '1d', '25h', '1h30m'])('--wait %j is no duration', async (wait) => {
  await expect(runs.verify(live.url, { wait }, {})).rejects.toMatchObject({ code: 'option-invalid', exit: 2 });
  expect(host.requests).toEqual([]);
});

test('--wait and --shard cannot be combined', async () => {
  await expect(runs.verify(live.url, { wait: '1s', shard: '1/2' }, {})).rejects.toMatchObject({
    code: 'option-conflict',
  });
});
