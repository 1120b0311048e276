import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import { configAt } from '../support/config-at.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../support/cli-context.ts';
import { entry, metadataWith, snapshot } from '../support/snapshots.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'appreg-exceptions-'));
  put('registry.json', { apps: { a: entry('a', { description: '' }), b: entry('b', { nmae: 'B' }) } });
  put('apps/a/versions.json', metadataWith('1.0.0', 'v2'));
  put('apps/b/versions.json', metadataWith('3.0.0'));
  configure([]);
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(path: string, value: unknown): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);
}

function configure(exceptions: unknown[]): void {
  put('appreg.config.json', { baseUrl: 'https://apps.example.com/', exceptions });
}

interface Run {
  code: number;
  report: Report;
  text: string;
  logged: string[];
}

async function run(
  options: { baseline?: string; fix?: boolean } = {},
  globals: GlobalOptions = { format: 'json' },
): Promise<Run> {
  const config = (from = folder): ReturnType<typeof configAt> => configAt(from, null, {});
  const context = cliContext({ cwd: folder, options: globals, config });
  const code = await runLint(context, [], options);
  const text = context.printed.out.join('\n');
  return { code, report: globals.format === 'json' ? JSON.parse(text) : null, text, logged: context.printed.log };
}

const errorOf = async (options: { baseline?: string } = {}): Promise<unknown> =>
  run(options).then(
    () => null,
    (error: unknown) => error,
  );

function yamlWithEnd(until: string): string {
  return `baseUrl: https://apps.example.com/\nexceptions:\n  - rule: version-not-semver\n    reason: x\n    until: ${until}\n`;
}

/** Judges facts.json with an exception that has this end. */
async function judgedWithEnd(until: string): Promise<Report> {
  configure([{ rule: 'text-empty', reason: 'x', until }]);
  const config = (): ReturnType<typeof configAt> => configAt(folder, null, {});
  const context = cliContext({ cwd: folder, options: { format: 'json' }, config });
  await runJudge(context, ['facts.json']);
  return JSON.parse(context.printed.out.join('\n'));
}

describe('exceptions', () => {
  test('do not count for the exit code, --max-warnings, the summary and the outcome', async () => {
    const before = await run();
    expect(before).toMatchObject({ code: 1, report: { outcome: 'findings', summary: { errors: 1, excepted: 0 } } });
    configure([
      {
        rule: 'version-not-semver',
        app: 'a',
        reason: 'An old tag.',
        until: '2999-01-01',
        issue: 'https://x.example/1',
      },
      { rule: 'text-empty', reason: 'Soon.' },
      { rule: 'property-unknown', app: 'b', reason: 'Ours.' },
    ]);
    const after = await run({}, { format: 'json', maxWarnings: 0 });
    expect(after).toMatchObject({
      code: 0,
      report: { outcome: 'clean', summary: { errors: 0, warnings: 0, excepted: 3 } },
    });
    const marked = after.report.findings.find(({ rule }) => rule === 'version-not-semver');
    expect(marked?.excepted).toEqual({ reason: 'An old tag.', until: '2999-01-01', issue: 'https://x.example/1' });
    const unmarked = after.report.findings.map((finding) => ({ ...finding, excepted: null }));
    expect(unmarked).toEqual(before.report.findings);
    expect([after.report.apps, after.report.symptoms]).toEqual([before.report.apps, before.report.symptoms]);
  });

  test('do not show an app that is hidden', async () => {
    put('registry.json', { apps: { a: entry('a', { name: 7 }) } });
    put('apps/a/versions.json', metadataWith('1.0.0'));
    configure([{ rule: 'schema-violation', reason: 'x' }]);
    const { code, report } = await run();
    expect(code).toBe(0);
    expect(report.apps).toMatchObject([{ key: 'a', visible: false, because: ['schema-violation'] }]);
  });

  test('end: afterwards the findings count, and the log says why', async () => {
    configure([{ rule: 'version-not-semver', reason: 'An old tag.', until: '2020-02-29' }]);
    const { code, report, logged } = await run();
    expect(code).toBe(1);
    expect(report.findings.every(({ excepted }) => excepted === null)).toBe(true);
    expect(logged).toContain(
      'The exception for version-not-semver ended on 2020-02-29, so 1 finding counts again. Its reason: An old tag.',
    );
  });

  test('that match nothing are warnings, with their position in the configuration', async () => {
    configure([
      { rule: 'text-empty', reason: 'x' },
      { rule: 'text-empty', app: 'c', reason: 'x' },
      { rule: 'url-insecure', reason: 'x' },
      { rule: 'unreachable', reason: 'Not judged by lint.' },
    ]);
    const { report } = await run();
    expect(
      report.findings
        .filter(({ rule }) => rule === 'exception-unused')
        .map(({ cause, file, pointer, line, column }) => [cause, file, pointer, line, column]),
    ).toEqual([
      ['no-finding', 'appreg.config.json', '/exceptions/2', 13, 5],
      ['app-not-listed', 'appreg.config.json', '/exceptions/1', 8, 5],
    ]);
  });

  test('are found in package.json too', async () => {
    rmSync(join(folder, 'appreg.config.json'));
    const exceptions = [{ rule: 'url-insecure', reason: 'x' }];
    put('package.json', { name: 'x', appreg: { baseUrl: 'https://apps.example.com/', exceptions } });
    const unused = (await run()).report.findings.find(({ rule }) => rule === 'exception-unused');
    expect(unused).toMatchObject({ file: 'package.json', pointer: '/appreg/exceptions/0', line: 6 });
  });

  test.each([
    ['appreg.config.yaml', ''],
    ['.appregrc', '\ufeff'],
  ])('that match nothing have their position in %s too', async (name, start) => {
    rmSync(join(folder, 'appreg.config.json'));
    const text = `${start}baseUrl: https://apps.example.com/\r\nexceptions:\r\n  - rule: url-insecure\r\n    reason: x\r\n`;
    writeFileSync(join(folder, name), text);
    const unused = (await run()).report.findings.find(({ rule }) => rule === 'exception-unused');
    expect(unused).toMatchObject({ file: name, pointer: '/exceptions/0', line: 3, column: 5 });
  });

  test('in YAML have dates without quotes', async () => {
    rmSync(join(folder, 'appreg.config.json'));
    put('appreg.config.yaml', yamlWithEnd('2999-03-01'));
    expect((await run()).report.findings.find(({ rule }) => rule === 'version-not-semver')?.excepted?.until).toBe(
      '2999-03-01',
    );
    put('appreg.config.yaml', yamlWithEnd('2999-02-30'));
    expect(await errorOf()).toMatchObject({ code: 'config-invalid', message: expect.stringContaining('“2999-02-30”') });
  });

  test('of judge apply as of the time of the facts', async () => {
    const facts = snapshot({ apps: { a: entry('a', { description: '' }) } });
    put('facts.json', facts);
    const day = facts.seenAt.slice(0, 10);
    expect((await judgedWithEnd(day)).summary).toMatchObject({ warnings: 0, excepted: 1 });
    expect((await judgedWithEnd('2020-01-01')).summary).toMatchObject({ warnings: 1, excepted: 0 });
  });

  test.each<{ name: string; more: object; code: string; message: RegExp; hint: RegExp }>([
    {
      name: 'an unknown rule',
      more: { rule: 'url-unstabel' },
      code: 'rule-unknown',
      message: /:\d+:\d+: Unknown rule “url-unstabel” in “exceptions\[1\]\.rule”\. Did you mean url-unstable/,
      hint: /appreg rules/,
    },
    {
      name: 'an impossible date',
      more: { until: '2027-02-30' },
      code: 'config-invalid',
      message: /“exceptions\[1\]\.until” must be a date .*YYYY-MM-DD.* not “2027-02-30”/,
      hint: /config-invalid/,
    },
    {
      name: 'another form of date',
      more: { until: '1 March' },
      code: 'config-invalid',
      message: /“exceptions\[1\]\.until”/,
      hint: /config-invalid/,
    },
    {
      name: 'a date with a time',
      more: { until: '2027-03-01T00:00:00Z' },
      code: 'config-invalid',
      message: /\.until”/,
      hint: /config-invalid/,
    },
    { name: 'an empty date', more: { until: '' }, code: 'config-invalid', message: /\.until”/, hint: /config-invalid/ },
    {
      name: 'a published version, without an end',
      more: { rule: 'artifact-changed' },
      code: 'config-invalid',
      message: /“until” is missing in “exceptions\[1\]”: .*needs an end/,
      hint: /config-invalid/,
    },
    {
      name: 'a withdrawn app, without an end',
      more: { rule: 'app-withdrawn' },
      code: 'config-invalid',
      message: /needs an end/,
      hint: /config-invalid/,
    },
    {
      name: 'an invalid range',
      more: { version: 'one' },
      code: 'config-invalid',
      message: /:\d+:\d+: “exceptions\[1\]\.version” must be a version range such as "<1\.4".* not “one”/,
      hint: /config-invalid/,
    },
    {
      name: 'an empty range',
      more: { version: ' ' },
      code: 'config-invalid',
      message: /“exceptions\[1\]\.version”/,
      hint: /config-invalid/,
    },
    {
      name: 'an empty reason',
      more: { reason: ' ' },
      code: 'config-invalid',
      message: /“exceptions\[1\]\.reason” must be text that is not blank, not “ ”/,
      hint: /config-invalid/,
    },
    {
      name: 'no reason',
      more: { reason: undefined },
      code: 'config-invalid',
      message: /“reason” is missing in “exceptions\[1\]”/,
      hint: /config-invalid/,
    },
    {
      name: 'no rule',
      more: { rule: undefined },
      code: 'config-invalid',
      message: /“rule” is missing in “exceptions\[1\]”/,
      hint: /config-invalid/,
    },
    {
      name: 'an unknown field',
      more: { apps: 'a' },
      code: 'config-invalid',
      message: /Unknown setting “apps” in “exceptions\[1\]”\. Did you mean app\?/,
      hint: /config-invalid/,
    },
    {
      name: 'a number',
      more: { version: 1 },
      code: 'config-invalid',
      message: /“exceptions\[1\]\.version” must be text, not 1/,
      hint: /config-invalid/,
    },
  ])('with $name are refused, with the place', async ({ more, code, message, hint }) => {
    configure([
      { rule: 'text-empty', reason: 'x' },
      { rule: 'url-unstable', reason: 'x', ...more },
    ]);
    const error = await errorOf();
    expect(error).toMatchObject({ code, exit: 2, hint: expect.stringMatching(hint) });
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(error).toMatchObject({ message: expect.stringContaining('appreg.config.json') });
  });
});

describe('--baseline', () => {
  test('of the run itself leaves nothing that counts', async () => {
    const before = await run();
    put('before.json', before.text);
    const { code, report } = await run({ baseline: 'before.json' }, { format: 'json', maxWarnings: 0 });
    expect(code).toBe(0);
    expect(report).toMatchObject({ outcome: 'clean', summary: { errors: 0, warnings: 0, notes: 0 } });
    expect(report.summary.excepted).toBe(before.report.findings.length);
    expect(report.findings).toEqual(before.report.findings.map((finding) => ({ ...finding, baseline: true })));
  });

  test('only what is new counts, also if lines moved', async () => {
    put('before.json', (await run()).text);
    put('apps/a/versions.json', `\n\n${JSON.stringify(metadataWith('1.1.0', '1.0.0', 'v2', 'v3'))}`);
    const { code, report } = await run({ baseline: 'before.json' });
    expect(code).toBe(1);
    const counting = report.findings.filter(({ baseline }) => !baseline);
    expect(counting.map(({ rule, version }) => [rule, version])).toEqual([['version-not-semver', 'v3']]);
  });

  test('may be of another version of appreg, without the fields that identify no finding', async () => {
    const { report } = await run();
    const findings = report.findings.map(({ rule, app, version, registry, fingerprint }) => ({
      rule,
      app,
      version,
      registry,
      fingerprint,
    }));
    put('before.json', { ...report, tool: { name: 'appreg', version: '0.0.1' }, findings, summary: {} });
    expect((await run({ baseline: 'before.json' })).report.outcome).toBe('clean');
  });

  const registries = ['https://apps.example.com/registry.json'];
  const whole = { schema: 1, tool: { name: 'appreg', version: '0.1.0' }, registries, findings: [] };
  const found = { rule: 'x', app: null, version: null, registry: registries[0], fingerprint: '0' };
  test.each<{ name: string; value: unknown; message: RegExp }>([
    { name: 'is missing', value: null, message: /does not exist/ },
    { name: 'is empty', value: '', message: /^--baseline: before\.json:1:1: The file is empty/ },
    { name: 'is broken', value: '{"schema":1,', message: /^--baseline: before\.json:1:13: / },
    { name: 'is a list', value: [], message: /must be an object, not an empty list/ },
    { name: 'is a text', value: '"x"', message: /must be an object, not “x”/ },
    { name: 'is null', value: 'null', message: /must be an object, not null/ },
    { name: 'is SARIF', value: { version: '2.1.0', runs: [] }, message: /SARIF/ },
    { name: 'is a manifest', value: { apps: {} }, message: /a manifest/ },
    { name: 'is saved facts', value: { snapshot: 1 }, message: /saved facts/ },
    {
      name: 'is of another tool',
      value: { ...whole, tool: { name: 'eslint' } },
      message: /“tool\.name” must be appreg: .*, not “eslint”/,
    },
    { name: 'has another schema', value: { ...whole, schema: 2 }, message: /“schema” must be 1, .*, not 2/ },
    { name: 'has no findings', value: { ...whole, findings: {} }, message: /“findings” must be a list, not an object/ },
    {
      name: 'has a finding that is none',
      value: { ...whole, findings: [null] },
      message: /“findings\[0\]” must be an object, not null/,
    },
    {
      name: 'has a finding without an app',
      value: { ...whole, findings: [{ ...found, app: undefined }] },
      message: /“app” is missing in “findings\[0\]”\. It must be text or null/,
    },
    {
      name: 'has a finding with a number in place of its fingerprint',
      value: { ...whole, findings: [{ ...found, fingerprint: 1 }] },
      message: /:\d+:\d+: “findings\[0\]\.fingerprint” must be text, not 1/,
    },
  ])('that $name is refused', async ({ value, message }) => {
    if (value !== null) put('before.json', value);
    expect(await errorOf({ baseline: 'before.json' })).toMatchObject({
      code: 'baseline-report-invalid',
      exit: 2,
      message: expect.stringMatching(message),
      hint: expect.stringContaining('--format json'),
    });
  });

  test('that is a folder is refused', async () => {
    expect(await errorOf({ baseline: '.' })).toMatchObject({ code: 'baseline-report-invalid', exit: 2 });
  });

  test('--fix fixes what is in the baseline, too', async () => {
    put('apps/b/versions.json', JSON.stringify(metadataWith('v1.0.0')));
    put('before.json', (await run()).text);
    const { report, logged } = await run({ baseline: 'before.json', fix: true });
    expect(logged.join('\n')).toMatch(/apps\/b\/versions\.json/);
    expect(report.findings.map(({ version }) => version)).not.toContain('v1.0.0');
  });
});
