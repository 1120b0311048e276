import { readdirSync } from 'node:fs';
import { describe, expect, afterEach, test, vi } from 'vitest';
import { comparableReport } from '../support/cli-runs.ts';
import { answer, inTurn, json, tagged } from '../support/fault-host.ts';
import { gzipped, putRegistry } from '../support/live-registry.ts';
import { verifyFixture } from './verify-fixture.ts';

/** `verify --wait`: repeats the check until the new version is served, and prints when all subscribers will receive it. */

const fixture = verifyFixture();
afterEach(() => void vi.unstubAllEnvs());

vi.setConfig({ testTimeout: 90_000 });

/** Calls `act` once the command says that it waits. */
function onWaiting(act: () => void): void {
  fixture.runs.onLog = (line) => {
    if (line.startsWith('Waiting')) act();
  };
}

/** The metadata file lists version 2.0.0 only once the command waits for it. */
function listOnceAwaited(): void {
  let isListed = false;
  const [before, after] = [fixture.live.versions.slice(1), fixture.live.versions].map((versions) =>
    tagged(JSON.stringify({ versions })),
  );
  fixture.live.serve('a.json', (request, socket) => (isListed ? after! : before!)(request, socket));
  onWaiting(() => (isListed = true));
}

const APP = { app: ['app-a'], versions: '2.0.0' };
const SEEN =
  /^All subscribers will receive this by \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, in 1 h 5 min at the latest: caches may hold an older copy for 5 min, and the service checks hourly\.$/;

describe('verify --wait for a version that is already served', () => {
  test.each([APP, {}, { app: ['app-a'] }])('ends at once with %j', async (options) => {
    const { code, logged, report } = await fixture.runs.verify(fixture.live.url, { ...options, wait: '10m' });
    expect(code).toBe(0);
    expect(logged).toEqual([expect.stringMatching(SEEN)]);
    expect(report.outcome).not.toBe('incomplete');
    expect(fixture.host.requests.filter((r) => r.path === '/registry.json' && r.method === 'HEAD')).toHaveLength(1);
  });

  test('ignores errors of other apps', async () => {
    fixture.live.serve('registry.json', async (request, socket) => {
      const entry = {
        name: 'x',
        description: 'x',
        blockStyle: { iconUrl: `${fixture.host.origin}/a.svg`, color: '#336699' },
        appMetadataUrl: `${fixture.host.origin}/a.json`,
      };
      await json({ apps: { 'app-a': entry, b: { ...entry, appMetadataUrl: `${fixture.host.origin}/none.json` } } })(
        request,
        socket,
      );
    });
    expect((await fixture.runs.verify(fixture.live.url, { ...APP, wait: '1s' })).code).toBe(0);
    expect((await fixture.runs.verify(fixture.live.url, { wait: '1s' })).code).toBe(1);
  });
});

describe('verify --wait', () => {
  test('ends with the first version of a range', async () => {
    listOnceAwaited();
    const { code, logged, report } = await fixture.runs.verify(fixture.live.url, {
      ...APP,
      versions: '>=1',
      wait: '60s',
    });
    expect([code, logged.length, report.summary.versions]).toEqual([0, 1, 1]);
  });

  test('requests the artifact of a version only once it is listed, and no resource twice', async () => {
    listOnceAwaited();
    const second = await fixture.runs.verify(fixture.live.url, { ...APP, wait: '60s' });
    expect(second.code).toBe(0);
    expect(second.logged).toEqual([
      expect.stringMatching(/^Waiting until \S+Z: app-a: no version 2\.0\.0 is listed\.$/),
      expect.stringMatching(SEEN),
    ]);
    expect(second.report.apps).toMatchObject([{ key: 'app-a', latest: '2.0.0' }]);
    const plain = fixture.host.requests.filter((r) => r.method === 'GET' && r.headers['origin'] === undefined);
    const polls = plain.flatMap((r, i) => (r.path === '/registry.json' ? [i] : []));
    const artifacts = plain.flatMap((r, i) => (r.path === '/2.tar.gz' ? [i] : []));
    expect(artifacts).toHaveLength(1);
    expect(artifacts[0]).toBeGreaterThan(polls.at(-1)!);
    expect(plain.filter((r) => r.path === '/a.json' && r.headers['if-none-match'] === undefined)).toHaveLength(1);
    expect(plain.filter((r) => r.path === '/1.tar.gz')).toEqual([]);
  });

  test('waits for an app', async () => {
    const without = json({ apps: {} });
    let isListed = false;
    const entry = {
      name: 'App A',
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${fixture.host.origin}/a.svg`, color: '#336699' },
      appMetadataUrl: `${fixture.host.origin}/a.json`,
    };
    fixture.live.serve('registry.json', (request, socket) =>
      (isListed ? json({ apps: { 'app-a': entry } }) : without)(request, socket),
    );
    onWaiting(() => (isListed = true));
    const { code, logged } = await fixture.runs.verify(fixture.live.url, { app: ['app-a'], wait: '60s' });
    expect(code).toBe(0);
    expect(logged[0]).toMatch(/app-a is not in the manifest\.$/);
  });

  test('waits for the manifest, and for an artifact that is listed too early', async () => {
    // A missing file is requested up to eleven times in one run.
    const missing = Array.from({ length: 11 }, () => answer({ status: 404 }));
    fixture.live.serve('registry.json', inTurn(...missing, json({ apps: {} })));
    const first = await fixture.runs.verify(fixture.live.url, { wait: '40s' });
    expect([first.code, first.logged[0]]).toEqual([0, expect.stringMatching(/: manifest: unreachable\.$/)]);
    fixture.live = putRegistry(fixture.host);
    fixture.live.serve('2.tar.gz', inTurn(...missing, gzipped(fixture.live.artifact)));
    const second = await fixture.runs.verify(fixture.live.url, { ...APP, wait: '40s' });
    expect([second.code, second.logged[0]]).toEqual([0, expect.stringMatching(/: app-a 2\.0\.0: unreachable\.$/)]);
  });
});

describe('verify --wait after the timeout', () => {
  test('fails for a missing version, and reports what is missing', async () => {
    const { code, logged, report, out } = await fixture.runs.verify(fixture.live.url, {
      app: ['app-a', 'app-b'],
      versions: '3.0.0',
      wait: '1.2s',
      save: 'facts.json',
    });
    expect(code).toBe(1);
    const missing = 'app-a: no version 3.0.0 is listed; app-b is not in the manifest';
    expect(logged.at(-1)).toBe(`Timed out after 1.2s. Still missing: ${missing}.`);
    expect(report.outcome).toBe('incomplete');
    expect(report.notJudged).toContainEqual(
      expect.objectContaining({ rule: '*', resource: null, reason: `not available yet: ${missing}` }),
    );
    expect(JSON.parse(out)).toEqual(report);
    expect(comparableReport((await fixture.runs.judge('facts.json')).report)).toEqual(comparableReport(report));
    expect(readdirSync(fixture.folder).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('fails for a registry with errors, and reports them', async () => {
    fixture.live.serve('2.tar.gz', gzipped(fixture.live.older));
    const { code, logged, report } = await fixture.runs.verify(fixture.live.url, { wait: '1.2s' });
    expect(code).toBe(1);
    expect(logged.at(-1)).toBe('Timed out after 1.2s. Still missing: app-a 2.0.0: artifact-checksum-mismatch.');
    expect(report.findings.map((f) => f.rule)).toContain('artifact-checksum-mismatch');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is interrupted by %s with exit code %i, prints the report and leaves no files', async (signal, exit) => {
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, fixture.folder);
    onWaiting(() => {
      const timer = setInterval(() => {
        if (process.listenerCount(signal) === 0) return;
        clearInterval(timer);
        process.emit(signal, signal);
      }, 5);
    });
    const { code, report } = await fixture.runs.verify(fixture.live.url, { ...APP, versions: '3.0.0', wait: '10m' });
    expect([code, report.outcome]).toEqual([exit, 'incomplete']);
    expect(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')).toBe(0);
    expect(readdirSync(fixture.folder)).toEqual(['ca.pem']);
  });
});

test.each(['', '10', 'soon', '0s', '-5s', '5 m', '1d', '25h', '1h30m'])(
  '--wait %j is an invalid duration',
  async (wait) => {
    await expect(fixture.runs.verify(fixture.live.url, { wait }, {})).rejects.toMatchObject({
      code: 'option-invalid',
      exit: 2,
    });
    expect(fixture.host.requests).toEqual([]);
  },
);

test('--wait and --shard cannot be combined', async () => {
  await expect(fixture.runs.verify(fixture.live.url, { wait: '1s', shard: '1/2' }, {})).rejects.toMatchObject({
    code: 'option-conflict',
  });
});
