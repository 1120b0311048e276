import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
import { runInit } from '../../src/cli/commands/init.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import { tarGz } from '../publish/memory.ts';
import { vendorKeys } from '../support/attest.ts';
import { buildInto } from '../support/built.ts';
import { folder } from '../support/folders.ts';
import { openSharedProcess } from '../support/shared-process.ts';
import { contextIn, snapshot } from './author-support.ts';

/** The whole command line in separate processes: what only occurs there. */

// Each test starts up to a dozen processes.
vi.setConfig({ testTimeout: 120_000 });

const PROJECT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
/** Where a process cannot be killed by a signal of its own. */
const WINDOWS = process.platform === 'win32';

const built = mkdtempSync(join(tmpdir(), 'appreg-author-program-'));
const program = join(built, 'dist/node/main.cjs');
const START = `require(${JSON.stringify(program)}).main(process.argv).then((code) => { process.exitCode = code; });`;
const shared = openSharedProcess(program);
beforeAll(() => buildInto(built, { failpoints: true }), 120_000);
afterAll(() => shared.close());
afterAll(() => rmSync(built, { recursive: true, force: true }));

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

async function appreg(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child: ChildProcess = spawn(process.execPath, ['-e', START, 'appreg', ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', NODE_PATH: join(PROJECT, 'node_modules'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr!.on('data', (chunk) => (stderr += String(chunk)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

async function workspace(): Promise<string> {
  const dir = folder();
  writeFileSync(join(dir, 'i.svg'), SVG);
  // A host that refuses connections at once, so that no test waits for it.
  await runInit(contextIn(dir), undefined, { baseUrl: 'http://127.0.0.1:5/' });
  await runAddApp(contextIn(dir), 'a', { name: 'A', description: 'An app.', icon: 'i.svg', blockColor: '#112233' });
  return dir;
}

const versions = (dir: string): string[] =>
  (
    JSON.parse(readFileSync(join(dir, 'apps/a/versions.json'), 'utf8')) as { versions: { version: string }[] }
  ).versions.map((one) => one.version);
const leftovers = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(tmp|lock)$/.test(path));

test('--color of an app and --no-color of the terminal are independent options', async () => {
  const dir = await workspace();
  const add = (key: string, ...more: string[]): Promise<Ended> =>
    appreg(
      dir,
      ['add-app', key, '--name', 'B', '--description', 'An app.', '--icon', 'i.svg', '--color', '#a1b2c3', ...more],
      { FORCE_COLOR: '1', NO_COLOR: undefined },
    );
  expect((await add('b')).stdout).toContain('\u001b');
  expect((await add('c', '--no-color')).stdout).toBe('added c: apps/c/icon.svg, apps/c/versions.json, registry.json\n');
  expect(readFileSync(join(dir, 'registry.json'), 'utf8').match(/"color": "#a1b2c3"/g)).toHaveLength(2);
});

test('without a terminal, missing values are a usage error and no prompt appears', async () => {
  const dir = await workspace();
  expect(await appreg(dir, ['add-app', 'b'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--name, --description, --color, --icon') as string,
  });
  expect(await appreg(dir, ['init', 'new'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--base-url') as string,
  });
});

test('two concurrent publishers both add their version to the file', async () => {
  const dir = await workspace();
  for (let round = 0; round < 6; round++) {
    writeFileSync(join(dir, 'x.tar.gz'), tarGz(`x${round}`));
    writeFileSync(join(dir, 'y.tar.gz'), tarGz(`y${round}`));
    const ended = await Promise.all(
      ['x', 'y'].map((name, i) =>
        // The lower version may be the second one.
        appreg(dir, ['publish-version', 'a', `1.${round}.${i}`, '--artifact', `${name}.tar.gz`, '--allow-lower']),
      ),
    );
    expect(ended).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(versions(dir)).toHaveLength(2 * round + 2);
  }
  expect(new Set(versions(dir)).size).toBe(12);
  expect(leftovers(dir)).toEqual([]);
});

test('of two concurrent publishers of a version, one with the same bytes succeeds and one with other bytes is refused', async () => {
  const dir = await workspace();
  writeFileSync(join(dir, 'x.tar.gz'), tarGz('x'));
  writeFileSync(join(dir, 'y.tar.gz'), tarGz('y'));
  const publish = (name: string): Promise<Ended> =>
    appreg(dir, ['publish-version', 'a', '1.0.0', '--artifact', `${name}.tar.gz`]);
  expect(await Promise.all([publish('x'), publish('x')])).toMatchObject([{ code: 0 }, { code: 0 }]);
  expect(versions(dir)).toEqual(['1.0.0']);
  expect(await Promise.all([publish('y'), publish('x')])).toMatchObject([
    { code: 1, stderr: expect.stringContaining('sha256:') as string },
    { code: 0 },
  ]);
  expect(versions(dir)).toEqual(['1.0.0']);
});

describe.skipIf(WINDOWS)('publish-version completes on the next run after it was killed', () => {
  test.each([
    'temp-created',
    'half-written',
    'before-sync',
    'before-link',
    'after-link',
    'lock-prepared',
    'before-rename',
    'after-rename',
    'before-unlock',
  ])('at %s', async (step) => {
    const dir = await workspace();
    writeFileSync(join(dir, 'x.tar.gz'), tarGz('x'));
    const args = ['publish-version', 'a', '1.0.0', '--artifact', 'x.tar.gz'];
    expect(await appreg(dir, args, { APPREG_FAILPOINT: step })).toMatchObject({ signal: 'SIGKILL' });
    // What a subscriber would read at this moment is complete, and refers to no missing file.
    for (const version of versions(dir))
      expect(readFileSync(join(dir, `apps/a/versions/${version}.tar.gz`))).toEqual(tarGz('x'));
    expect(await shared.run(args, { cwd: dir })).toMatchObject({ code: 0 });
    expect(versions(dir)).toEqual(['1.0.0']);
    expect(await runLint(contextIn(dir), [], {})).toBe(0);
    const before = snapshot(dir);
    expect(await shared.run(args, { cwd: dir })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^already published/) as string,
    });
    expect(snapshot(dir)).toBe(before);
  });
});

describe.skipIf(WINDOWS)('publish-version with an attestation completes on the next run after it was killed', () => {
  const { privateKey, publicKey } = vendorKeys();
  const BUNDLE = 'apps/a/versions/1.0.0.tar.gz.sigstore.json';

  test.each([
    ['between the artifact and its attestation', 'after-link', false],
    ['between the attestation and the listing', 'lock-prepared', true],
    ['while the listing is written', 'before-rename', true],
    ['after the listing', 'after-rename', true],
  ])('%s', async (_, step, isStored) => {
    const dir = await workspace();
    writeFileSync(join(dir, 'x.tar.gz'), tarGz('x'));
    writeFileSync(join(dir, 'vendor.pub'), publicKey);
    const args = ['publish-version', 'a', '1.0.0', '--artifact', 'x.tar.gz', '--attest-key-env', 'KEY'];
    const env = { KEY: privateKey };
    const killed = await appreg(dir, args, { ...env, APPREG_FAILPOINT: step });
    expect(killed).toMatchObject({ signal: 'SIGKILL' });
    expect(versions(dir)).toEqual(step === 'after-rename' ? ['1.0.0'] : []);
    expect(existsSync(join(dir, BUNDLE))).toBe(isStored);
    const stored = isStored ? readFileSync(join(dir, BUNDLE)) : null;
    expect(await appreg(dir, args, env)).toMatchObject({ code: 0 });
    expect(versions(dir)).toEqual(['1.0.0']);
    // The first attestation stays: a signature is different each time.
    if (stored !== null) expect(readFileSync(join(dir, BUNDLE))).toEqual(stored);
    expect(leftovers(dir)).toEqual([]);
    const check = ['attestation', 'apps/a/versions/1.0.0.tar.gz', '--app', 'a@1.0.0', '--key', 'vendor.pub'];
    expect(await shared.run(check, { cwd: dir })).toMatchObject({ code: 0 });
    expect(await runLint(contextIn(dir), [], {})).toBe(0);
  });
});
