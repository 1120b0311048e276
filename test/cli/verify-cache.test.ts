import type { IncomingHttpHeaders } from 'node:http';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Report } from '../../src/core/engine/report.ts';
import { certificates } from '../support/fault-certificates.ts';
import { type Ran, runsIn, sameOf } from '../support/cli-runs.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  inTurn,
  json,
  openFaultHost,
  tagged,
} from '../support/fault-host.ts';
import { archive, checksum, gzipped, type Live, ORIGIN, putRegistry, SVG } from '../support/live-registry.ts';
import { entry, tgz } from '../support/tar-builder.ts';

/** `verify --cache`: the second run asks only for what may have changed, and says the same. */

let host: FaultHost;
let live: Live;
let folder: string;
let runs: ReturnType<typeof runsIn>;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
});
afterAll(() => host.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'appreg-cache-'));
  writeFileSync(join(folder, 'ca.pem'), certificates().ca);
  runs = runsIn(folder, 'ca.pem');
  live = putRegistry(host);
  const put = live.list;
  live.list = () => {
    put();
    live.serve('a.json', tagged(JSON.stringify({ versions: live.versions })));
  };
  live.list();
  live.serve('registry.json', tagged(JSON.stringify(manifest())));
  live.serve('a.svg', tagged(SVG, { 'Content-Type': 'image/svg+xml' }));
  host.requests.length = 0;
  return () => rmSync(folder, { recursive: true, force: true });
});

function manifest(more: object = {}): object {
  return {
    apps: {
      'app-a': {
        name: 'App A',
        description: 'Does a thing.',
        blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
        appMetadataUrl: `${host.origin}/a.json`,
      },
      ...more,
    },
  };
}

/** A run with the cache, and what it asked for: the paths, with a word where it was never without a condition. */
async function cached(options: object = {}, env: NodeJS.ProcessEnv = {}): Promise<Ran & { asked: string[] }> {
  host.requests.length = 0;
  const ran = await runs.verify(live.url, { cache: 'cache', ...options }, { format: 'json' }, env);
  // Requests as a page sends them, with Origin or for a plain <img>, are another view.
  const gets = host.requests.filter(
    (r) => r.method === 'GET' && r.headers['origin'] === undefined && r.headers['sec-fetch-mode'] === undefined,
  );
  const plain = new Set(gets.filter((r) => r.headers['if-none-match'] === undefined).map((r) => r.path));
  const asked = new Set(gets.map((r) => (plain.has(r.path) ? r.path : `${r.path} if changed`)));
  return { ...ran, asked: [...asked].toSorted() };
}

const LOOKED_AGAIN = ['/a.json if changed', '/a.svg if changed', '/registry.json if changed'];

const isForHead = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  headers['access-control-request-method'] === 'HEAD';

/** The paths that were requested by a method; of preflights those for GET. */
function views(method: string): string[] {
  return host.requests.filter((r) => r.method === method && !isForHead(r)).map((r) => r.path);
}

/** What is left when what may differ between a first run and a cached one is taken away. */
const said = (report: Report): unknown => ({
  findings: report.findings,
  apps: report.apps,
  symptoms: report.symptoms,
  summary: { ...report.summary, seconds: 0, notJudged: 0 },
});

function files(): string[] {
  return readdirSync(join(folder, 'cache'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, 'cache', name))
    .filter((path) => statSync(path).isFile());
}

test('verified artifacts are not asked for at all, the rest only if it changed; the report is the same, and says so', async () => {
  const first = await cached();
  expect(first.asked).toEqual(['/1.tar.gz', '/2.tar.gz', '/a.json', '/a.svg', '/registry.json']);
  const second = await cached();
  expect(second.asked).toEqual(LOOKED_AGAIN);
  expect(host.requests.filter((r) => r.path.endsWith('.gz'))).toEqual([]);
  expect(second.code).toBe(0);
  expect(said(second.report)).toEqual(said(first.report));
  expect(second.report.notJudged).toContainEqual(
    expect.objectContaining({
      rule: '*',
      resource: 'artifact',
      reason: expect.stringMatching(
        /^2 artifacts, since they were verified before: the facts from \d{4}-.*Z were judged again$/,
      ),
    }),
  );
  expect(second.report.outcome).toBe(first.report.outcome);
});

test('saved facts of a cached run give its report', async () => {
  await cached();
  const second = await cached({ save: 'facts.json', origin: [ORIGIN] });
  expect(sameOf((await runs.judge('facts.json')).report)).toEqual(sameOf(second.report));
  const third = await cached({ save: 'facts.json', origin: [ORIGIN] });
  expect(sameOf((await runs.judge('facts.json')).report)).toEqual(sameOf(third.report));
  expect(third.asked).toEqual(LOOKED_AGAIN);
});

test('what was found in the facts that are taken over is found again', async () => {
  const odd = tgz(entry('app.js', 'x'), entry('../escape', 'x'));
  live.versions.unshift({ version: '3.0.0', artifactUrl: `${host.origin}/3.tar.gz`, artifactChecksum: checksum(odd) });
  live.list();
  host.on('/3.tar.gz', byMethod({ GET: answer({ headers: { 'Content-Type': 'text/plain' }, body: odd }) }));
  live.serve('a.svg', tagged(SVG, { 'Content-Type': 'text/plain', 'Cache-Control': 'max-age=9999999' }));
  live.serve('a.json', tagged(JSON.stringify({ versions: live.versions }), { 'Cache-Control': 'max-age=9999999' }));
  const first = await cached();
  expect(new Set(first.report.findings.map((f) => f.rule))).toContain('artifact-unsafe-entry');
  const second = await cached();
  expect(second.asked).toEqual(LOOKED_AGAIN);
  expect(said(second.report)).toEqual(said(first.report));
  expect(second.code).toBe(1);
});

describe('what is asked for again', () => {
  test('an artifact whose listed checksum changed', async () => {
    await cached();
    live.versions[1]!.artifactChecksum = checksum(archive('another'));
    live.list();
    const { asked, code } = await cached();
    expect(asked).toContain('/1.tar.gz');
    expect(asked).not.toContain('/2.tar.gz');
    expect(code).toBe(1);
  });

  test('an artifact that did not match, until it does', async () => {
    live.serve('2.tar.gz', inTurn(...Array.from({ length: 5 }, () => gzipped(live.older)), gzipped(live.artifact)));
    expect((await cached()).code).toBe(1);
    const second = await cached();
    expect(second.asked).toContain('/2.tar.gz');
    expect(second.asked).not.toContain('/1.tar.gz');
  });

  test('what came only after a failed attempt', async () => {
    live.serve('1.tar.gz', inTurn(answer({ status: 503 }), gzipped(live.older)));
    expect((await cached()).report.findings.map((f) => f.rule)).toContain('host-intermittent');
    const second = await cached();
    expect(second.asked).toContain('/1.tar.gz');
    expect(second.report.findings.map((f) => f.rule)).not.toContain('host-intermittent');
  });

  test('a new version, and what changed; the rest of the app stays verified', async () => {
    await cached();
    const bytes = archive('export const version = 3;');
    host.on('/3.tar.gz', gzipped(bytes));
    live.versions.push({ version: '3.0.0', artifactUrl: `${host.origin}/3.tar.gz`, artifactChecksum: checksum(bytes) });
    live.list();
    const second = await cached();
    expect(second.asked).toEqual(['/3.tar.gz', ...LOOKED_AGAIN]);
    expect(second.report.apps).toMatchObject([{ latest: '3.0.0' }]);
    expect((await cached()).asked).toEqual(LOOKED_AGAIN);
  });

  test('an artifact that was verified long ago', async () => {
    await cached();
    const month = 31 * 86_400_000;
    for (const path of files()) {
      const text = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        text.replaceAll(/"reusedFrom":"[^"]+"/g, `"reusedFrom":"${new Date(Date.now() - month).toISOString()}"`),
      );
    }
    expect((await cached()).asked).toEqual(['/1.tar.gz', '/2.tar.gz', ...LOOKED_AGAIN]);
  });

  test('the views, where the host answers browsers in another way now', async () => {
    await cached();
    for (const path of ['a.json', 'a.svg'] as const) {
      const body = path === 'a.svg' ? SVG : JSON.stringify({ versions: live.versions });
      const type = path === 'a.svg' ? 'image/svg+xml' : 'application/json';
      live.serve(path, tagged(body, { 'Content-Type': type, 'Access-Control-Allow-Origin': 'https://other.test' }));
    }
    const second = await cached({});
    expect(second.asked).toEqual(LOOKED_AGAIN);
    expect(second.report.findings.filter((f) => f.rule.startsWith('cors-')).map((f) => f.resource)).toContain('icon');
  });

  test('the views of one resource of each kind and host, and those of all where they changed', async () => {
    const more: Record<string, object> = {};
    for (const key of ['b', 'c']) {
      more[key] = {
        name: key,
        description: 'x',
        blockStyle: {
          iconUrl: host.on(`/${key}.svg`, tagged(SVG, { 'Content-Type': 'image/svg+xml' })),
          color: '#336699',
        },
        appMetadataUrl: host.on(`/${key}.json`, tagged(JSON.stringify({ versions: live.versions }))),
      };
    }
    live.serve('registry.json', tagged(JSON.stringify(manifest(more))));
    const first = await cached();
    expect(views('HEAD')).toHaveLength(10);
    const second = await cached();
    for (const method of ['HEAD', 'OPTIONS']) expect(views(method), method).toHaveLength(3);
    expect(said(second.report)).toEqual(said(first.report));
    expect(second.report.notJudged).toContainEqual(
      expect.objectContaining({
        resource: 'icon',
        reason: expect.stringMatching(/^how 2 icons that did not change answer browsers and HEAD: the facts from/),
      }),
    );
    for (const key of ['a', 'b', 'c'])
      host.on(`/${key}.svg`, tagged(SVG, { 'Content-Type': 'image/svg+xml', 'Access-Control-Allow-Origin': 'x' }));
    const third = await cached();
    expect(views('HEAD').filter((path) => path.endsWith('.svg'))).toHaveLength(3);
    expect(third.report.findings.map((f) => f.rule)).toContain('cors-invalid');
  });

  test('everything, where the host gives no sign of what changed', async () => {
    live.serve('a.json', json({ versions: live.versions }));
    await cached();
    expect((await cached()).asked).toEqual(['/a.json', '/a.svg if changed', '/registry.json if changed']);
  });
});

/** Answers 304 to every condition. */
function frozen(body: string): Behaviour {
  const headers = { ETag: '"1"', 'Content-Type': 'application/json', ...CORS };
  return (request, socket) =>
    (request.headers['if-none-match'] ? answer({ status: 304, headers }) : tagged(body, headers))(request, socket);
}

describe('a host that answers a condition oddly', () => {
  test.each<[string, Parameters<typeof answer>[0]]>([
    ['304 about another tag', { status: 304, headers: { ETag: '"other"' } }],
    ['400', { status: 400 }],
    ['412', { status: 412 }],
  ])('%s: it is asked without one', async (_, odd) => {
    await cached();
    const sound = json({ versions: live.versions });
    live.serve('a.json', (request, socket) =>
      (/probe|^$/.test(request.headers['if-none-match'] ?? '') ? sound : answer(odd))(request, socket),
    );
    const { code, asked } = await cached();
    expect(code).toBe(0);
    expect(asked).toEqual(['/a.json', '/a.svg if changed', '/registry.json if changed']);
  });

  test('304 to everything: it is believed of nothing there', async () => {
    live.serve('registry.json', frozen(JSON.stringify(manifest())));
    live.serve('a.json', frozen(JSON.stringify({ versions: live.versions })));
    await cached();
    live.versions.pop();
    live.serve('a.json', frozen(JSON.stringify({ versions: live.versions })));
    const second = await cached();
    expect(second.report.findings.map((f) => f.rule)).toContain('not-modified-incorrect');
    expect(second.report.summary.versions).toBe(1);
  });

  test('headers of a 304 count: the new lifetime is judged, the old one is forgotten', async () => {
    const body = JSON.stringify({ versions: live.versions });
    live.serve('a.json', tagged(body, { 'Cache-Control': 'max-age=9999999' }, '"1"'));
    expect((await cached()).report.findings.map((f) => f.rule)).toContain('cache-lifetime-long');
    live.serve('a.json', tagged(body, {}, '"1"'));
    expect((await cached()).report.findings.map((f) => f.rule)).not.toContain('cache-lifetime-long');
  });
});

describe('the folder', () => {
  test('files have digests for names and are for their owner alone', async () => {
    await cached();
    for (const path of files()) {
      expect(path.slice(folder.length)).toMatch(/^[/\\]cache[/\\][0-9a-f]{32}[/\\]([0-9a-f]{32}|manifest)\.json$/);
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(files()).toHaveLength(2);
  });

  test.each<[string, (text: string) => string]>([
    ['cut off', (text) => text.slice(0, text.length / 2)],
    ['empty', () => ''],
    ['something else', () => '[1, 2]'],
    ['of the right form with other facts', (text) => text.replaceAll('"hops":[', '"hops":[1,')],
  ])('a file that is %s is passed over with a remark, and fixed', async (_, spoil) => {
    const first = await cached();
    for (const path of files()) writeFileSync(path, spoil(readFileSync(path, 'utf8')));
    const second = await cached();
    expect(said(second.report)).toEqual(said(first.report));
    expect(second.asked).toEqual(first.asked);
    expect(second.said).toEqual([expect.stringMatching(/2 files are not usable/)]);
    const third = await cached();
    expect([third.asked, third.said]).toEqual([LOOKED_AGAIN, []]);
  });

  test('what another version wrote is passed over without a word', async () => {
    await cached();
    for (const path of files()) writeFileSync(path, readFileSync(path, 'utf8').replace('{"cache":1', '{"cache":0'));
    const second = await cached();
    expect([second.asked.length, second.said]).toEqual([5, []]);
  });

  test('apps that are not listed any more are removed, and folders that nobody used for long', async () => {
    live.serve('registry.json', tagged(JSON.stringify(manifest({ b: { appMetadataUrl: `${host.origin}/a.json` } }))));
    await cached();
    expect(files()).toHaveLength(3);
    live.serve('registry.json', tagged(JSON.stringify(manifest())));
    await cached({ app: ['app-a'] });
    expect(files()).toHaveLength(3);
    await cached();
    expect(files()).toHaveLength(2);
    const [scope] = readdirSync(join(folder, 'cache'));
    const old = new Date(Date.now() - 40 * 86_400_000);
    utimesSync(join(folder, 'cache', scope!), old, old);
    await cached({ origin: [ORIGIN] });
    expect(readdirSync(join(folder, 'cache'))).not.toContain(scope);
  });

  test('that cannot be made is a usage error', async () => {
    await expect(runs.verify(live.url, { cache: 'ca.pem/x' }, {})).rejects.toMatchObject({
      code: 'cache-unusable',
      exit: 2,
    });
  });

  test('several runs at once share it', async () => {
    const all = await Promise.all([cached(), cached(), cached(), cached()]);
    for (const { report, said: remarks } of all) expect([report.outcome, remarks]).toEqual([all[0].report.outcome, []]);
    expect((await cached()).asked).toEqual(LOOKED_AGAIN);
  });
});

/** For those alone who send credentials, which it echoes. */
function guarded(body: string): ReturnType<typeof tagged> {
  return byMethod({
    GET: (request, socket) =>
      (request.headers['authorization']
        ? tagged(body, { 'X-Echo': request.headers['authorization'] })
        : answer({ status: 401 }))(request, socket),
  });
}

describe('secrets', () => {
  const SECRET = 's3cr3t-canary-value';

  test('never stand in the folder, and users see nothing of each other', async () => {
    live.serve('registry.json', guarded(JSON.stringify(manifest())));
    const header = { headerEnv: ['Authorization=TOKEN'] };
    await cached(header, { TOKEN: `Bearer ${SECRET}` });
    for (const path of files()) expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
    expect((await cached(header, { TOKEN: `Bearer ${SECRET}` })).asked).toEqual(LOOKED_AGAIN);
    const other = await cached(header, { TOKEN: 'Bearer another-secret' });
    expect(other.asked).toEqual(['/1.tar.gz', '/2.tar.gz', '/a.json', '/a.svg', '/registry.json']);
    expect((await cached()).code).toBe(1);
  });

  test('a document that holds one is asked for in full each time; what it lists stays verified', async () => {
    const signed = `${host.origin}/2.tar.gz?X-Amz-Signature=${SECRET}`;
    live.versions[0]!.artifactUrl = signed;
    live.list();
    await cached();
    for (const path of files()) expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
    const second = await cached();
    expect(second.asked).toEqual(['/a.json', '/a.svg if changed', '/registry.json if changed']);
    expect(second.report.summary.artifacts).toBe(2);
  });

  test('where the answer leads through a signed URL, its signature is not kept', async () => {
    live.serve(
      '2.tar.gz',
      answer({ status: 302, headers: { ...CORS, Location: `/signed?X-Amz-Signature=${SECRET}` } }),
    );
    host.on('/signed', gzipped(live.artifact));
    const first = await cached();
    for (const path of files()) expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
    const second = await cached();
    expect(second.asked).toEqual(LOOKED_AGAIN);
    expect(said(second.report)).toEqual(said(first.report));
  });
});

test('with --against, a published version may not change all the same', async () => {
  await cached({ save: 'before.json' });
  live.versions.pop();
  live.list();
  const { code, report } = await cached({ against: 'before.json' });
  expect(code).toBe(1);
  expect(report.findings.filter((f) => f.severity === 'error').map((f) => f.rule)).toEqual(['version-withdrawn']);
});

test('with --skip-artifacts or --versions nothing that was verified is forgotten', async () => {
  await cached();
  await cached({ skipArtifacts: true });
  await cached({ versions: 'latest' });
  expect((await cached()).asked).toEqual(LOOKED_AGAIN);
});
