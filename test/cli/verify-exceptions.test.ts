import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runDiagnose } from '../../src/cli/commands/diagnose.ts';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import { configAt } from '../support/config-at.ts';
import type { Context } from '../../src/cli/config/context.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { rules } from '../../src/core/rules/index.ts';
import { cliContext } from '../support/cli-context.ts';
import { answer, json } from '../support/fault-host.ts';
import { checksum, ORIGIN } from '../support/live-registry.ts';
import { verifyFixture } from './verify-fixture.ts';

/** Exceptions and a baseline for a live registry of six apps, of which one is hidden and one lists another artifact. */

const fixture = verifyFixture();

function sixApps(): string {
  const { host, live } = fixture;
  const apps: Record<string, object> = {};
  for (let i = 0; i < 6; i++) {
    const artifactUrl = `${host.origin}/2.tar.gz`;
    const artifactChecksum = i === 4 ? `sha256:${'0123456789abcdef'.repeat(4)}` : checksum(live.artifact);
    host.on(`/${i}.json`, json({ versions: [{ version: '1.0.0', artifactUrl, artifactChecksum }] }));
    apps[`app-${i}`] = {
      name: `App ${i}`,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
      appMetadataUrl: `${host.origin}/${i}.json`,
    };
  }
  host.on('/2.json', answer({ status: 404 }));
  host.on('/registry.json', json({ apps }));
  return live.url;
}

function configure(exceptions: unknown[]): void {
  writeFileSync(join(fixture.folder, 'appreg.config.json'), JSON.stringify({ exceptions }));
}

async function run(act: (context: Context) => Promise<number>): Promise<{ code: number; report: Report }> {
  const cwd = fixture.folder;
  const config = (): ReturnType<typeof configAt> => configAt(cwd, null, {});
  const context = cliContext({ cwd, options: { format: 'json' }, config });
  const code = await act(context);
  return { code, report: JSON.parse(context.printed.out.join('\n')) };
}

const check = { ca: 'ca.pem', origin: [ORIGIN] };
const marks = ({ findings }: Report): unknown[] =>
  findings.map(({ rule, app, excepted, baseline }) => [rule, app, excepted, baseline]);
const unused = (report: Report): string[] =>
  report.findings.filter(({ rule }) => rule === 'exception-unused').map(({ evidence }) => String(evidence['rule']));

test('an excepted error of a live registry does not count, and its app stays hidden', async () => {
  const url = sixApps();
  const before = await run((context) => runVerify(context, url, check));
  expect(before.code).toBe(1);
  configure([
    { rule: 'unreachable', app: 'app-2', reason: 'It moves.' },
    { rule: 'artifact-checksum-mismatch', app: 'app-4', version: '<2', reason: 'It is rebuilt.' },
    { rule: 'icon-oversized', reason: 'Nothing is.' },
    ...rules.filter((rule) => rule.workspaceOnly).map(({ id }) => ({ rule: id, reason: 'It is for lint.' })),
  ]);
  const after = await run((context) => runVerify(context, url, check));
  expect(after.report.summary).toMatchObject({ errors: 0, excepted: 2 });
  expect(after.code).toBe(0);
  expect(after.report.apps).toEqual(before.report.apps);
  expect(after.report.symptoms).toEqual(before.report.symptoms);
  expect(after.report.apps[2]).toMatchObject({ key: 'app-2', visible: false });
  expect(unused(after.report)).toEqual(['icon-oversized']);
  const diagnosed = await run((context) => runDiagnose(context, url, check));
  expect(diagnosed).toMatchObject({ code: 0, report: { summary: { errors: 0, excepted: 2 } } });
  expect(diagnosed.report.symptoms).toEqual(before.report.symptoms);
});

test('shards, merged, have the marks of one run, and no shard reports an exception that only another one judges', async () => {
  const url = sixApps();
  configure([
    { rule: 'unreachable', app: 'app-2', reason: 'x' },
    { rule: 'artifact-checksum-mismatch', app: 'app-4', reason: 'x' },
    { rule: 'icon-oversized', reason: 'x' },
    { rule: 'url-insecure', app: 'ghost', reason: 'x' },
  ]);
  const whole = await run((context) => runVerify(context, url, check));
  const parts: Report[] = [];
  for (const i of [1, 2])
    parts.push(
      (await run((context) => runVerify(context, url, { ...check, shard: `${i}/2`, save: `facts-${i}.json` }))).report,
    );
  const merged = await run((context) => runJudge(context, ['facts-1.json', 'facts-2.json']));
  expect(marks(merged.report)).toEqual(marks(whole.report));
  expect(merged.report.summary).toMatchObject({ errors: 0, excepted: 2 });
  expect(parts.map(unused)).toEqual([['url-insecure'], []]);
  expect(unused(whole.report)).toEqual(['icon-oversized', 'url-insecure']);
});

test('a run with --app reports no exception of another app as unused', async () => {
  const url = sixApps();
  configure([
    { rule: 'unreachable', app: 'app-2', reason: 'x' },
    { rule: 'icon-oversized', reason: 'x' },
    { rule: 'icon-oversized', app: 'app-0', reason: 'x' },
    { rule: 'icon-oversized', app: 'ghost', reason: 'x' },
  ]);
  const { report } = await run((context) => runVerify(context, url, { ...check, app: ['app-0'] }));
  expect(report.findings.filter(({ rule }) => rule === 'exception-unused').map(({ app }) => app)).toEqual(['app-0']);
});

test('--baseline: only what is new counts, in verify and in judge', async () => {
  const url = sixApps();
  const first = await run((context) => runVerify(context, url, { ...check, save: 'facts.json' }));
  writeFileSync(join(fixture.folder, 'before.json'), JSON.stringify(first.report));
  const options = { ...check, baseline: 'before.json', save: 'facts.json' };
  expect(await run((context) => runVerify(context, url, options))).toMatchObject({
    code: 0,
    report: { outcome: 'clean' },
  });
  fixture.host.on('/3.json', answer({ status: 410 }));
  const later = await run((context) => runVerify(context, url, options));
  expect(later).toMatchObject({ code: 1, report: { summary: { errors: 1 } } });
  const again = await run((context) => runJudge(context, ['facts.json'], { baseline: 'before.json' }));
  expect(marks(again.report)).toEqual(marks(later.report));
  await expect(run((context) => runVerify(context, url, { ...check, baseline: 'facts.json' }))).rejects.toMatchObject({
    code: 'baseline-report-invalid',
    exit: 2,
  });
});

test('--wait does not wait for what is excepted', async () => {
  const url = sixApps();
  configure([{ rule: 'artifact-checksum-mismatch', app: 'app-4', reason: 'x' }]);
  const { code } = await run((context) => runVerify(context, url, { ...check, app: ['app-4'], wait: '30s' }));
  expect(code).toBe(0);
  expect(readFileSync(join(fixture.folder, 'appreg.config.json'), 'utf8')).toContain('app-4');
});
