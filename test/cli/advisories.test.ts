import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/core/engine/report.ts';
import { runLint } from '../../src/cli/commands/lint/run.ts';
import { writeFiles } from '../bundle/tree.ts';
import { comparableReport, type CommandRun } from '../support/cli-runs.ts';
import { answer, type Behaviour, byMethod } from '../support/fault-host.ts';
import { billText, osvRecord } from '../support/materials.ts';
import { contextIn, refusal } from './author-support.ts';
import { publish, workspace } from './publish-fixture.ts';
import { releaseIn, repository, sources, statesOf } from './release-fixture.ts';
import { verifyFixture } from './verify-fixture.ts';

/** `--advisories`: known vulnerabilities of bundled packages, in lint, release and verify. */

const OSV = { 'osv/X-1.json': JSON.stringify(osvRecord('X-1', 'dep', '1.0.1', { aliases: ['CVE-2026-1'] })) };
const FILES = {
  'main.ts': `import { dep } from 'dep';\nexport const app = dep;\n`,
  'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0","license":"ISC"}',
  'node_modules/dep/index.js': 'export const dep = 1;',
  'node_modules/dep/LICENSE': 'Copyright Dep',
  ...OSV,
};

function rulesIn({ findings }: Report): string[] {
  return findings.map(({ rule, severity, version }) => `${severity} ${rule} ${version}`);
}

function reasonsIn({ notJudged }: Report): string[] {
  return notJudged.flatMap(({ rule, reason, version }) =>
    rule === 'package-vulnerable' ? [`${version}: ${reason}`] : [],
  );
}

async function lint(root: string, options: Parameters<typeof runLint>[2]) {
  const context = contextIn(root, { format: 'json' });
  const code = await runLint(context, [], { ...options, format: 'json' });
  const report: Report = JSON.parse(context.printed.out.join('\n'));
  return { code, report, logged: context.printed.log };
}

const vulnerableIn = ({ report }: CommandRun): string[] =>
  rulesIn(report).filter((line) => line.includes('package-vulnerable'));
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('lint', () => {
  test('reports packages that the bills of materials beside artifacts list', async () => {
    const root = writeFiles(await workspace(), FILES);
    await publish(root, '1.0.0', { entry: 'main.ts', sbom: true });
    await publish(root, '1.1.0', { entry: 'main.ts', notices: false });
    const before = await lint(root, {});
    const { code, report } = await lint(root, { advisories: 'osv' });
    expect(code).toBe(0);
    expect(rulesIn(report)).toEqual(['warning package-vulnerable 1.0.0']);
    expect(report.findings[0]).toMatchObject({
      message: 'The artifact contains dep 1.0.0, which has a known vulnerability: X-1 (CVE-2026-1).',
      advice: expect.stringContaining('Update dep to 1.0.1 or later'),
      file: 'apps/a/versions.json',
      pointer: expect.stringMatching(/^\/versions\/\d\/artifactUrl$/),
    });
    expect(reasonsIn(report)).toEqual(['1.1.0: no bill of materials is beside it']);
    // Without the option nothing mentions bills of materials, and none is read.
    expect(rulesIn(before.report)).toEqual([]);
    expect(JSON.stringify(before.report)).not.toMatch(/package-vulnerable|bill/);
    const failing = contextIn(root, { rule: ['package-vulnerable=error'] });
    expect(await runLint(failing, [], { advisories: 'osv' })).toBe(1);
  });

  test.each<[name: string, bill: string, reason: string]>([
    ['is not JSON', 'no', 'the bill of materials beside it is not a CycloneDX document in JSON'],
    [
      'is that of another artifact',
      billText(['dep@1.0.0'], '1'.repeat(64)),
      'the bill of materials beside it is that of another artifact',
    ],
  ])('does not judge a bill that %s', async (_, bill, reason) => {
    const root = writeFiles(await workspace(), FILES);
    await publish(root, '1.0.0');
    writeFileSync(join(root, 'apps/a/versions/1.0.0.tar.gz.cdx.json'), bill);
    const { report } = await lint(root, { advisories: 'osv' });
    expect([rulesIn(report), reasonsIn(report)]).toEqual([[], [`1.0.0: ${reason}`]]);
  });

  test('names files that are not advisories, and refuses a folder without any', async () => {
    const root = writeFiles(await workspace(), { ...FILES, 'osv/broken.json': '{', 'empty/x.txt': '' });
    await publish(root, '1.0.0', { entry: 'main.ts', sbom: true });
    expect((await lint(root, { advisories: 'osv' })).logged).toContainEqual(
      'warning: osv has 1 file that cannot be used as advisories: broken.json is not JSON',
    );
    for (const advisories of ['empty', 'missing'])
      expect(await refusal(runLint(contextIn(root), [], { advisories }))).toMatchObject({
        code: 'advisories-unusable',
        exit: 2,
      });
  });
});

describe('release', () => {
  const REPOSITORY = { ...sources({ clock: '1.0.0', lamp: '1.0.0' }), ...FILES, 'src/clock/main.ts': FILES['main.ts'] };

  test('--check reports the packages of each app, also of unchanged ones', async () => {
    const root = await repository(REPOSITORY, { listed: ['clock', 'lamp'] });
    const before = await releaseIn(root);
    expect(JSON.stringify(before.report)).not.toContain('vulnerable');
    const run = await releaseIn(root, { check: true, advisories: 'osv' });
    expect([run.code, statesOf(run)]).toEqual([0, { clock: 'unchanged', lamp: 'unchanged' }]);
    expect(run.apps['lamp']?.vulnerable).toEqual([]);
    expect(run.apps['clock']?.vulnerable).toEqual([
      {
        name: 'dep',
        version: '1.0.0',
        advisories: [{ id: 'X-1', aliases: ['CVE-2026-1'], summary: '', severity: null, fixed: ['1.0.1'] }],
      },
    ]);
  });

  test('refuses such an app where the rule is an error, and looks up nothing where it is off', async () => {
    const root = await repository(REPOSITORY, { listed: ['clock', 'lamp'] });
    const file = join(root, 'appreg.config.json');
    const configured = (level: string): void =>
      writeFileSync(
        file,
        JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), rules: { 'package-vulnerable': level } }),
      );
    configured('error');
    const run = await releaseIn(root, { advisories: 'osv' });
    expect([run.code, statesOf(run)]).toEqual([1, { clock: 'broken', lamp: 'new' }]);
    expect(run.apps['clock']).toMatchObject({
      published: false,
      advice: expect.stringContaining('Update dep to 1.0.1'),
    });
    configured('off');
    const off = await releaseIn(root, { check: true, advisories: 'osv' });
    expect([statesOf(off)['clock'], off.apps['clock']?.vulnerable]).toEqual(['new', undefined]);
  });
});

describe('verify', () => {
  const fixture = verifyFixture();

  function serveBill(path: string, body: string, more: object = {}): void {
    fixture.host.on(path, byMethod({ GET: answer({ body, ...more }) }));
  }

  async function verify(options: Parameters<typeof fixture.runs.verify>[1] = {}): Promise<CommandRun> {
    writeFiles(fixture.folder, OSV);
    return fixture.runs.verify(fixture.live.url, { advisories: 'osv', ...options });
  }

  test('requests the bills beside artifacts, and judge repeats the verdict', async () => {
    serveBill('/2.tar.gz.cdx.json', billText(['dep@1.0.0', 'other@1.0.0'], digest(fixture.live.artifact)));
    const run = await verify({ save: 'facts.json' });
    expect(vulnerableIn(run)).toEqual(['warning package-vulnerable 2.0.0']);
    expect(reasonsIn(run.report)).toEqual(['1.0.0: no bill of materials is beside it']);
    expect(run.report.findings.find(({ rule }) => rule === 'package-vulnerable')).toMatchObject({
      resource: 'artifact',
      url: `${fixture.host.origin}/2.tar.gz`,
    });
    const judged = await fixture.runs.judge('facts.json');
    expect(comparableReport(judged.report)).toEqual(comparableReport(run.report));
  });

  test('requests no bill without the option, and the report is the same with and without companion files', async () => {
    const plain = await fixture.runs.verify(fixture.live.url);
    serveBill('/2.tar.gz.cdx.json', billText(['dep@1.0.0']));
    fixture.host.requests.length = 0;
    const beside = await fixture.runs.verify(fixture.live.url);
    expect(comparableReport(beside.report)).toEqual(comparableReport(plain.report));
    expect(fixture.host.requests.filter(({ path }) => path.includes('.cdx.json'))).toEqual([]);
  });

  test('judges the advisories of today with artifacts of the cache', async () => {
    serveBill('/2.tar.gz.cdx.json', billText(['dep@1.0.0']));
    await fixture.runs.verify(fixture.live.url, { cache: 'cache' });
    expect(vulnerableIn(await verify({ cache: 'cache' }))).toEqual(['warning package-vulnerable 2.0.0']);
    writeFiles(fixture.folder, { 'osv/X-1.json': JSON.stringify(osvRecord('X-1', 'dep', '1.0.0')) });
    const fixed = await fixture.runs.verify(fixture.live.url, { cache: 'cache', advisories: 'osv' });
    expect(vulnerableIn(fixed)).toEqual([]);
    const without = await fixture.runs.verify(fixture.live.url, { cache: 'cache' });
    expect(JSON.stringify(without.report)).not.toContain('package-vulnerable');
  });

  test.each<[name: string, behaviour: () => Behaviour, reason: string]>([
    [
      'is a page',
      () =>
        byMethod({
          GET: answer({ headers: { 'Content-Type': 'text/html' }, body: '<!doctype html><title>x</title>' }),
        }),
      'no bill of materials is beside it',
    ],
    ['is forbidden', () => byMethod({ GET: answer({ status: 403, body: '' }) }), 'no bill of materials is beside it'],
    ['is gone', () => byMethod({ GET: answer({ status: 410, body: '' }) }), 'no bill of materials is beside it'],
    [
      'fails',
      () => byMethod({ GET: answer({ status: 503, body: '' }) }),
      'the request for the bill of materials failed',
    ],
    [
      'is too large',
      () => byMethod({ GET: answer({ body: `{"x":"${'x'.repeat(11_000_000)}"}` }) }),
      'the bill of materials beside it is too large',
    ],
    [
      'is of other bytes',
      () => byMethod({ GET: answer({ body: billText(['dep@1.0.0'], '1'.repeat(64)) }) }),
      'the bill of materials beside it is that of another artifact',
    ],
  ])('does not judge a bill that %s', async (_, behaviour, reason) => {
    fixture.host.on('/2.tar.gz.cdx.json', behaviour());
    const run = await verify();
    expect(vulnerableIn(run)).toEqual([]);
    expect(
      reasonsIn(run.report).find((line) => line.startsWith('2.0.0')) ?? JSON.stringify(run.report.findings),
    ).toContain(reason);
  });

  test('follows a redirect, keeps the query, and judges no URL that is signed', async () => {
    fixture.live.versions[0]!.artifactUrl = `${fixture.host.origin}/2.tar.gz?v=2`;
    fixture.live.versions[1]!.artifactUrl = `${fixture.host.origin}/1.tar.gz?X-Amz-Signature=0123456789abcdef`;
    fixture.live.list();
    fixture.host.on(
      '/2.tar.gz.cdx.json',
      byMethod({ GET: answer({ status: 302, headers: { Location: '/elsewhere.json' }, body: '' }) }),
    );
    serveBill('/elsewhere.json', billText(['dep@1.0.0']));
    const run = await verify();
    expect(vulnerableIn(run)).toEqual(['warning package-vulnerable 2.0.0']);
    expect(reasonsIn(run.report)).toEqual([
      '1.0.0: its URL is signed by its query, which is not valid for the bill of materials beside it',
    ]);
    expect(fixture.host.requests.filter(({ path }) => path.includes('cdx')).map(({ path }) => path)).toEqual([
      '/2.tar.gz.cdx.json?v=2',
    ]);
  });
});
