import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/core/findings/report.ts';
import { comparableReport } from '../support/cli-runs.ts';
import { answer, type Behaviour, byMethod, CORS, inTurn, json, tagged } from '../support/fault-host.ts';
import { archive, checksum, gzipped, ORIGIN, SVG } from '../support/live-registry.ts';
import { entry, tgz } from '../support/tar-builder.ts';
import { cacheFixture, comparable, REVALIDATED } from './verify-cache-fixture.ts';

/** `verify --cache`: the second run requests only what may have changed, and its report is the same. */

const { cached, files, fixture, manifest, views } = cacheFixture();

test('verified artifacts are not requested again, other files conditionally, and the report is the same and lists what was reused', async () => {
  const first = await cached();
  expect(first.requested).toEqual(['/1.tar.gz', '/2.tar.gz', '/a.json', '/a.svg', '/registry.json']);
  const second = await cached();
  expect(second.requested).toEqual(REVALIDATED);
  expect(fixture.host.requests.filter((r) => r.path.endsWith('.gz'))).toEqual([]);
  expect(second.code).toBe(0);
  expect(comparable(second.report)).toEqual(comparable(first.report));
  expect(second.report.notJudged).toContainEqual(
    expect.objectContaining({
      rule: '*',
      resource: 'artifact',
      reason: expect.stringMatching(/^2 artifacts, already verified: the facts from \d{4}-.*Z were judged again$/),
    }),
  );
  expect(second.report.outcome).toBe(first.report.outcome);
});

test('saved facts of a cached run give the same report', async () => {
  await cached();
  const second = await cached({ save: 'facts.json', origin: [ORIGIN] });
  expect(comparableReport((await fixture.runs.judge('facts.json')).report)).toEqual(comparableReport(second.report));
  const third = await cached({ save: 'facts.json', origin: [ORIGIN] });
  expect(comparableReport((await fixture.runs.judge('facts.json')).report)).toEqual(comparableReport(third.report));
  expect(third.requested).toEqual(REVALIDATED);
});

test('findings in reused facts are reported again', async () => {
  const unsafeArtifact = tgz(entry('app.js', 'x'), entry('../escape', 'x'));
  fixture.live.versions.unshift({
    version: '3.0.0',
    artifactUrl: `${fixture.host.origin}/3.tar.gz`,
    artifactChecksum: checksum(unsafeArtifact),
  });
  fixture.live.list();
  fixture.host.on(
    '/3.tar.gz',
    byMethod({ GET: answer({ headers: { 'Content-Type': 'text/plain', ...CORS }, body: unsafeArtifact }) }),
  );
  fixture.live.serve('a.svg', tagged(SVG, { 'Content-Type': 'text/plain', 'Cache-Control': 'max-age=9999999' }));
  fixture.live.serve(
    'a.json',
    tagged(JSON.stringify({ versions: fixture.live.versions }), { 'Cache-Control': 'max-age=9999999' }),
  );
  const first = await cached();
  expect(new Set(first.report.findings.map((f) => f.rule))).toContain('artifact-unsafe-entry');
  const second = await cached();
  expect(second.requested).toEqual(REVALIDATED);
  expect(comparable(second.report)).toEqual(comparable(first.report));
  expect(second.code).toBe(1);
});

describe('verify --cache requests again', () => {
  test('an artifact whose listed checksum changed', async () => {
    await cached();
    fixture.live.versions[1]!.artifactChecksum = checksum(archive('another'));
    fixture.live.list();
    const { requested, code } = await cached();
    expect(requested).toContain('/1.tar.gz');
    expect(requested).not.toContain('/2.tar.gz');
    expect(code).toBe(1);
  });

  test('an artifact that did not match, until it matches', async () => {
    fixture.live.serve(
      '2.tar.gz',
      inTurn(...Array.from({ length: 5 }, () => gzipped(fixture.live.older)), gzipped(fixture.live.artifact)),
    );
    expect((await cached()).code).toBe(1);
    const second = await cached();
    expect(second.requested).toContain('/2.tar.gz');
    expect(second.requested).not.toContain('/1.tar.gz');
  });

  test('a response that needed a second attempt', async () => {
    fixture.live.serve('1.tar.gz', inTurn(answer({ status: 503 }), gzipped(fixture.live.older)));
    expect((await cached()).report.findings.map((f) => f.rule)).toContain('host-intermittent');
    const second = await cached();
    expect(second.requested).toContain('/1.tar.gz');
    expect(second.report.findings.map((f) => f.rule)).not.toContain('host-intermittent');
  });

  test('a new version and changed documents; the other versions stay verified', async () => {
    await cached();
    const bytes = archive('export const version = 3;');
    fixture.host.on('/3.tar.gz', gzipped(bytes));
    fixture.live.versions.push({
      version: '3.0.0',
      artifactUrl: `${fixture.host.origin}/3.tar.gz`,
      artifactChecksum: checksum(bytes),
    });
    fixture.live.list();
    const second = await cached();
    expect(second.requested).toEqual(['/3.tar.gz', ...REVALIDATED]);
    expect(second.report.apps).toMatchObject([{ latest: '3.0.0' }]);
    expect((await cached()).requested).toEqual(REVALIDATED);
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
    expect((await cached()).requested).toEqual(['/1.tar.gz', '/2.tar.gz', ...REVALIDATED]);
  });

  test('the browser views if the host now responds differently to them', async () => {
    await cached();
    for (const path of ['a.json', 'a.svg'] as const) {
      const body = path === 'a.svg' ? SVG : JSON.stringify({ versions: fixture.live.versions });
      const type = path === 'a.svg' ? 'image/svg+xml' : 'application/json';
      fixture.live.serve(
        path,
        tagged(body, { 'Content-Type': type, 'Access-Control-Allow-Origin': 'https://other.test' }),
      );
    }
    const second = await cached({});
    expect(second.requested).toEqual(REVALIDATED);
    expect(second.report.findings.filter((f) => f.rule.startsWith('cors-')).map((f) => f.resource)).toContain('icon');
  });

  test('the browser views of one resource of each kind and host, and of all if they changed', async () => {
    const more: Record<string, object> = {};
    for (const key of ['b', 'c']) {
      more[key] = {
        name: key,
        description: 'x',
        blockStyle: {
          iconUrl: fixture.host.on(`/${key}.svg`, tagged(SVG, { 'Content-Type': 'image/svg+xml' })),
          color: '#336699',
        },
        appMetadataUrl: fixture.host.on(`/${key}.json`, tagged(JSON.stringify({ versions: fixture.live.versions }))),
      };
    }
    fixture.live.serve('registry.json', tagged(JSON.stringify(manifest(more))));
    const first = await cached();
    expect(views('HEAD')).toHaveLength(10);
    const second = await cached();
    for (const method of ['HEAD', 'OPTIONS']) expect(views(method), method).toHaveLength(3);
    expect(comparable(second.report)).toEqual(comparable(first.report));
    expect(second.report.notJudged).toContainEqual(
      expect.objectContaining({
        resource: 'icon',
        reason: expect.stringMatching(/^browser and HEAD responses of 2 icons that did not change: the facts from/),
      }),
    );
    for (const key of ['a', 'b', 'c'])
      fixture.host.on(
        `/${key}.svg`,
        tagged(SVG, { 'Content-Type': 'image/svg+xml', 'Access-Control-Allow-Origin': 'x' }),
      );
    const third = await cached();
    expect(views('HEAD').filter((path) => path.endsWith('.svg'))).toHaveLength(3);
    expect(third.report.findings.map((f) => f.rule)).toContain('cors-invalid');
  });

  test('every file without an ETag or a date', async () => {
    fixture.live.serve('a.json', json({ versions: fixture.live.versions }));
    await cached();
    expect((await cached()).requested).toEqual(['/a.json', '/a.svg if changed', '/registry.json if changed']);
  });
});

/** Answers 304 to every condition. */
function frozen(body: string): Behaviour {
  const headers = { ETag: '"1"', 'Content-Type': 'application/json', ...CORS };
  return (request, socket) =>
    (request.headers['if-none-match'] ? answer({ status: 304, headers }) : tagged(body, headers))(request, socket);
}

describe('a host and conditional requests', () => {
  test.each<[string, Parameters<typeof answer>[0]]>([
    ['a 304 with another ETag', { status: 304, headers: { ETag: '"other"' } }],
    ['status 400', { status: 400 }],
    ['status 412', { status: 412 }],
  ])('%s: the request is repeated without a condition', async (_, incorrect) => {
    await cached();
    const sound = json({ versions: fixture.live.versions });
    fixture.live.serve('a.json', (request, socket) =>
      (/probe|^$/.test(request.headers['if-none-match'] ?? '') ? sound : answer(incorrect))(request, socket),
    );
    const { code, requested } = await cached();
    expect(code).toBe(0);
    expect(requested).toEqual(['/a.json', '/a.svg if changed', '/registry.json if changed']);
  });

  test('a 304 to every condition: no 304 of the host is accepted', async () => {
    fixture.live.serve('registry.json', frozen(JSON.stringify(manifest())));
    fixture.live.serve('a.json', frozen(JSON.stringify({ versions: fixture.live.versions })));
    await cached();
    fixture.live.versions.pop();
    fixture.live.serve('a.json', frozen(JSON.stringify({ versions: fixture.live.versions })));
    const second = await cached();
    expect(second.report.findings.map((f) => f.rule)).toContain('not-modified-incorrect');
    expect(second.report.summary.versions).toBe(1);
  });

  test('a correct 304: its headers replace those of the earlier response', async () => {
    const body = JSON.stringify({ versions: fixture.live.versions });
    fixture.live.serve('a.json', tagged(body, { 'Cache-Control': 'max-age=9999999' }, '"1"'));
    expect((await cached()).report.findings.map((f) => f.rule)).toContain('cache-lifetime-long');
    fixture.live.serve('a.json', tagged(body, {}, '"1"'));
    expect((await cached()).report.findings.map((f) => f.rule)).not.toContain('cache-lifetime-long');
  });
});

/** The rules of findings, each with the resource. */
function found({ findings }: Report): string[] {
  return findings.map(({ rule, resource }) => `${rule} ${resource}`);
}

function isAboutB({ findings }: Report): boolean {
  return findings.some(({ rule, app }) => rule.startsWith('cors-origin') && app === 'b');
}

describe('a fault that was corrected', () => {
  test.each<[string, Record<string, string>, string]>([
    ['another type', { 'Content-Type': 'text/plain' }, 'content-type-wrong metadata'],
    ['no lifetime', { 'Cache-Control': 'public' }, 'cache-lifetime-missing metadata'],
  ])('%s, which the 304 does not name', async (_, faulty, finding) => {
    const body = JSON.stringify({ versions: fixture.live.versions });
    const withoutHeaders = (headers: Record<string, string>): Behaviour => {
      const sound = tagged(body, { 'Content-Type': 'application/json', ...headers }, '"1"');
      const unchanged = answer({ status: 304, headers: { ETag: '"1"', ...CORS } });
      return (request, socket) => (request.headers['if-none-match'] === '"1"' ? unchanged : sound)(request, socket);
    };
    fixture.live.serve('a.json', withoutHeaders(faulty));
    expect(found((await cached()).report)).toContain(finding);
    fixture.live.serve('a.json', withoutHeaders({}));
    expect(found((await cached()).report)).not.toContain(finding);
  });

  test('of a file that is not the first of its kind', async () => {
    const other = {
      name: 'b',
      description: 'x',
      blockStyle: { iconUrl: `${fixture.host.origin}/a.svg`, color: '#336699' },
      appMetadataUrl: `${fixture.host.origin}/b.json`,
    };
    fixture.live.serve('registry.json', tagged(JSON.stringify(manifest({ b: other }))));
    const body = JSON.stringify({ versions: fixture.live.versions });
    fixture.host.on('/b.json', tagged(body, { 'Access-Control-Allow-Origin': 'https://other.test' }));
    expect(isAboutB((await cached()).report)).toBe(true);
    fixture.host.on('/b.json', tagged(body));
    expect(isAboutB((await cached()).report)).toBe(false);
  });

  test('of the host of artifacts, which then allows pages to read them', async () => {
    const withoutHeader = { 'Access-Control-Allow-Origin': '' };
    for (const [path, bytes] of [
      ['1.tar.gz', fixture.live.older] as const,
      ['2.tar.gz', fixture.live.artifact] as const,
    ])
      fixture.live.serve(path, gzipped(bytes, withoutHeader));
    expect(found((await cached()).report)).toContain('cors-invalid artifact');
    fixture.live.serve('1.tar.gz', gzipped(fixture.live.older));
    fixture.live.serve('2.tar.gz', gzipped(fixture.live.artifact));
    expect(found((await cached()).report)).not.toContain('cors-invalid artifact');
  });
});

test('verify --cache --against reports a withdrawn version', async () => {
  await cached({ save: 'before.json' });
  fixture.live.versions.pop();
  fixture.live.list();
  const { code, report } = await cached({ against: 'before.json' });
  expect(code).toBe(1);
  expect(report.findings.filter((f) => f.severity === 'error').map((f) => f.rule)).toEqual(['version-withdrawn']);
});

test('--skip-artifacts and --versions preserve what was verified', async () => {
  await cached();
  await cached({ skipArtifacts: true });
  await cached({ versions: 'latest' });
  expect((await cached()).requested).toEqual(REVALIDATED);
});
