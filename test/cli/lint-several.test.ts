import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { LOCK_FILE } from '../../src/core/registry/lock-file.ts';
import { cliContext } from '../support/cli-context.ts';
import { configAt } from '../support/config-at.ts';
import { folder as temporaryFolder } from '../support/folders.ts';

/** `lint` of several paths: each registry is judged with its own configuration and lock file. */

const BASE = 'https://apps.example.com/';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

function put(path: string, value: unknown): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), JSON.stringify(value, null, 2));
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const version = (bytes: string, artifactUrl = 'https://cdn.example.net/1.0.0.tar.gz') => ({
  version: '1.0.0',
  artifactUrl,
  artifactChecksum: digestOf(bytes),
});

/** A registry in a folder, with the app `clock`, whose artifact is elsewhere. */
function registry(name: string, listed: object, config: object = {}): void {
  put(`${name}/appreg.config.json`, { baseUrl: BASE, ...config });
  put(`${name}/registry.json`, {
    apps: {
      clock: {
        name: 'Clock',
        description: 'Shows the time.',
        blockStyle: { iconUrl: 'https://cdn.example.net/icon.svg', color: '#112233' },
        appMetadataUrl: `${BASE}clock/versions.json`,
      },
    },
  });
  put(`${name}/clock/versions.json`, { versions: [listed] });
}

/** The lock file of a registry, with the version that it lists. */
function lock(name: string): void {
  const { artifactUrl, artifactChecksum } = version(name);
  put(`${name}/${LOCK_FILE}`, { lock: 1, apps: { clock: { '1.0.0': { artifactUrl, artifactChecksum } } } });
}

interface Linted {
  code: number;
  found: string[];
  report: Report;
}

async function linted(...paths: string[]): Promise<Linted> {
  return lintedWith(null, paths);
}

/** @param file the configuration of --config; null for the nearest one */
async function lintedWith(file: string | null, paths: string[]): Promise<Linted> {
  const context = cliContext({ cwd, options: { format: 'json' }, config: (from = cwd) => configAt(from, file) });
  const code = await runLint(context, paths, {});
  const report: Report = JSON.parse(context.printed.out.join('\n'));
  return { code, found: report.findings.map(({ rule, file }) => `${rule} ${file}`), report };
}

describe('the lock file of each registry', () => {
  beforeEach(() => {
    for (const name of ['one', 'two']) {
      registry(name, version(name));
      lock(name);
    }
  });

  test.each([[['one', 'two']], [['two', 'one']], [['one/clock/versions.json', 'two']]])('of %j', async (paths) => {
    expect(await linted(...paths)).toMatchObject({ code: 0, found: [] });
  });

  test.each([[['one', 'two']], [['two', 'one']], [['one/clock/versions.json', 'two']]])(
    'of %j, of which one has other bytes than before',
    async (paths) => {
      put('two/clock/versions.json', { versions: [version('other')] });
      expect(await linted(...paths)).toMatchObject({ code: 1, found: ['artifact-changed two/clock/versions.json'] });
    },
  );
});

describe('the configuration of each registry', () => {
  const unstable = version('one', 'https://cdn.example.net/latest/clock.tar.gz');

  test('its levels of rules', async () => {
    registry('one', version('one'), { rules: { 'url-unstable': 'off' } });
    registry('two', unstable);
    const both = await linted('one', 'two');
    expect(both.found).toEqual(['url-unstable two/clock/versions.json']);
    expect((await linted('two', 'one')).found).toEqual(both.found);
  });

  test('its exceptions', async () => {
    const exceptions = [{ rule: 'url-unstable', reason: 'The host keeps each build.' }];
    registry('one', unstable, { exceptions });
    registry('two', unstable);
    const { report } = await linted('one', 'two');
    expect(report.findings.map(({ file, excepted }) => [file, excepted !== null])).toEqual([
      ['one/clock/versions.json', true],
      ['two/clock/versions.json', false],
    ]);
  });

  test('an exception of a shared configuration is used if it matches in one registry', async () => {
    registry('one', unstable);
    registry('two', version('two'));
    const exceptions = [
      { rule: 'url-unstable', reason: 'The host keeps each build.' },
      { rule: 'url-insecure', reason: 'Not needed any more.' },
    ];
    put('shared.json', { baseUrl: BASE, exceptions });
    const { report } = await lintedWith(join(cwd, 'shared.json'), ['one/registry.json', 'two/registry.json']);
    expect(report.findings.map(({ rule, pointer }) => [rule, pointer])).toEqual([
      ['exception-unused', '/exceptions/1'],
      ['url-unstable', expect.anything()],
    ]);
  });
});

test('an app that one registry hides is visible in another one with the same key', async () => {
  registry('one', version('one'));
  registry('two', version('two'));
  put('one/clock/versions.json', { versions: 'none' });
  const { code, report } = await linted('one', 'two');
  expect(code).toBe(1);
  expect(report.apps.map(({ key, visible }) => [key, visible])).toEqual([
    ['clock', false],
    ['clock', null],
  ]);
  expect(report.summary).toMatchObject({ errors: 1, apps: 2, versions: 1, notJudged: report.notJudged.length });
  expect(report.notJudged.filter(({ rule }) => rule === 'cors-missing')).toHaveLength(1);
});
