import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { formulas } from '../../scripts/formulas.mjs';
import { PLATFORMS } from '../../scripts/platforms.mjs';
import { type CheckedRegistry, openRegistry, ROOT } from '../support/installed.ts';

/** What a release offers beside the archives: formulas, a GitLab component, pre-commit hooks. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const platforms = Object.entries(PLATFORMS);
const digest = (index: number): string => String(index).repeat(64);
const digestOf = (platform: string): string => digest(platforms.findIndex(([name]) => name === platform));
const SUMS = platforms
  .map(([platform, { archive }], i) => `${digest(i)}  appreg-1.2.3-${platform}.${archive}\n`)
  .join('');

describe('formulas from SHA256SUMS', () => {
  const files = formulas(SUMS);

  test('for Homebrew name each archive with its digest', () => {
    const formula = files['homebrew/appreg.rb']!;
    for (const platform of ['macos-x64', 'macos-arm64', 'linux-x64', 'linux-arm64'])
      expect(formula).toMatch(
        new RegExp(`url "\\S+/v1\\.2\\.3/appreg-1\\.2\\.3-${platform}\\.tar\\.gz"\\n *sha256 "${digestOf(platform)}"`),
      );
    const [opened, closed] = [/^ *(?:class|on_\w+ do|def|test do)\b/gm, /^ *end$/gm].map(
      (one) => formula.match(one)?.length,
    );
    expect(opened).toBe(closed);
  });

  test('for Scoop start the .cmd in the folder of the archive', () => {
    expect(JSON.parse(files['scoop/appreg.json']!)).toMatchObject({
      version: '1.2.3',
      bin: 'appreg.cmd',
      architecture: {
        '64bit': { hash: digestOf('windows-x64'), extract_dir: 'appreg-1.2.3-windows-x64' },
      },
    });
  });

  test('for winget are three files of one version', () => {
    const winget = Object.entries(files).filter(([path]) => path.startsWith('winget/'));
    const manifests = winget.map(([, text]) => parse(text) as Record<string, unknown>);
    expect(manifests.map(({ ManifestType: type }) => type).toSorted()).toEqual([
      'defaultLocale',
      'installer',
      'version',
    ]);
    for (const manifest of manifests)
      expect(manifest).toMatchObject({ PackageIdentifier: 'appreg.appreg', PackageVersion: '1.2.3' });
    expect(files['winget/appreg.appreg.installer.yaml']).toContain(digestOf('windows-x64').toUpperCase());
  });

  test.each([
    {
      name: 'a platform is missing',
      sums: SUMS.split('\n').slice(1).join('\n'),
      message: 'does not list the archive for linux-x64',
    },
    { name: 'versions differ', sums: SUMS.replace('appreg-1.2.3', 'appreg-1.2.4'), message: 'Two versions' },
    { name: 'a line is malformed', sums: `${SUMS}nothing\n`, message: 'Not a line of SHA256SUMS: nothing' },
  ])('are refused if $name', ({ sums, message }) => {
    expect(() => formulas(sums)).toThrow(message);
  });
});

test('the release workflow publishes only after CI, and each job waits only for jobs that exist', () => {
  const { jobs } = parse(read('.github/workflows/release.yml')) as {
    jobs: Record<string, { needs?: string | string[]; uses?: string; steps?: { run?: string }[] }>;
  };
  const needs = (name: string): string[] => [jobs[name]?.needs ?? []].flat();
  for (const name of Object.keys(jobs)) expect(Object.keys(jobs)).toEqual(expect.arrayContaining(needs(name)));
  const before = (name: string): string[] => needs(name).flatMap((one) => [one, ...before(one)]);
  for (const name of Object.keys(jobs).filter((one) => one !== 'ci')) expect(before(name)).toContain('ci');
  expect(parse(read('.github/workflows/ci.yml'))).toHaveProperty('on.workflow_call');
  const runs = Object.values(jobs).flatMap(({ steps = [] }) => steps.map(({ run = '' }) => run));
  const scripts = runs.flatMap((run) => [...run.matchAll(/\bscripts\/[\w-]+\.mjs/g)].map(([path]) => path));
  expect(scripts.length).toBeGreaterThan(3);
  for (const script of scripts) expect(read(script)).not.toBe('');
  // Names from outside reach scripts as variables only.
  for (const run of runs) expect(run).not.toContain('${{');
});

test('the hooks of pre-commit run commands that exist', () => {
  const hooks = parse(read('.pre-commit-hooks.yaml')) as { id: string; entry: string; language: string }[];
  expect(hooks.map(({ id, entry }) => [id, entry])).toEqual([
    ['appreg-lint', 'appreg lint'],
    ['appreg-release-check', 'appreg release --check'],
  ]);
});

describe('the GitLab component', () => {
  let registry: CheckedRegistry;
  let bin = '';
  beforeAll(async () => {
    registry = await openRegistry();
    bin = join(registry.place, 'bin');
    mkdirSync(bin);
    // npx installs the package; here it is the build.
    const program = `#!/bin/sh\nshift\necho "$1" > "$VERSION_FILE"\nshift\nexec "${process.execPath}" "${join(ROOT, 'bin/appreg.js')}" "$@"\n`;
    writeFileSync(join(bin, 'npx'), program);
    chmodSync(join(bin, 'npx'), 0o755);
  });
  afterAll(() => registry.close());

  function run(inputs: Record<string, string>): { status: number | null; output: string } {
    const [spec, job] = parseAllDocuments(read('templates/check.yml')).map(
      (document) => document.toJS() as Record<string, Record<string, unknown>>,
    );
    const declared = spec!['spec']!['inputs'] as Record<string, { default: string }>;
    const value = (name: string): string => inputs[name] ?? declared[name]!.default;
    const [{ variables, script }] = Object.values(job!) as [
      { variables: Record<string, string | number>; script: string[] },
    ];
    const env = Object.fromEntries(
      Object.entries(variables).map(([name, text]) => [
        name,
        String(text).replace(/^\$\[\[ inputs\.([\w-]+) \]\]$/, (_, input: string) => value(input)),
      ]),
    );
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', script.join('\n')], {
      cwd: registry.folder,
      env: { PATH: `${bin}${delimiter}${process.env['PATH']}`, VERSION_FILE: join(registry.place, 'version'), ...env },
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  }

  test('checks the files, and writes a report of code quality', () => {
    expect(run({})).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(join(registry.folder, 'gl-code-quality-report.json'), 'utf8'))).toEqual([]);
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(readFileSync(join(registry.place, 'version'), 'utf8')).toBe(`appreg@${version}\n`);
  });

  test('checks a live registry, with further options', () => {
    expect(run({ command: 'verify', url: registry.url, args: '--skip-artifacts --max-warnings 9' })).toMatchObject({
      status: 0,
    });
    expect(run({ command: 'diagnose', url: `${registry.url}x` }).status).toBe(1);
  });

  test('refuses a configuration that is code', () => {
    const file = join(registry.folder, 'appreg.config.json');
    const config = readFileSync(file, 'utf8');
    rmSync(file);
    writeFileSync(join(registry.folder, 'appreg.config.mjs'), `export default ${config};`);
    try {
      const refused = run({});
      expect(refused.output).toContain('appreg.config.mjs is code, which appreg does not execute');
      expect(refused.status).toBe(2);
    } finally {
      rmSync(join(registry.folder, 'appreg.config.mjs'));
      writeFileSync(file, config);
    }
  });

  test('takes no input for a part of the script', () => {
    expect(run({ path: '$(touch injected)' }).status).toBe(2);
    expect(() => readFileSync(join(registry.folder, 'injected'))).toThrow('ENOENT');
  });
});
