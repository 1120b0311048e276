import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { folder as temporaryFolder } from '../support/folders.ts';
import { requireBuild } from '../support/recorded.ts';

/** The compiled code that the command line keeps for itself. Later versions of Node: test/platforms/compile-cache.test.ts. */

const ROOT = join(import.meta.dirname, '../..');
const isNode20 = process.version.startsWith('v20.');

beforeAll(requireBuild);

/** @returns what a command prints, with its code kept below `cache` */
function run(cache: string, words: readonly string[], env: Record<string, string> = {}): string {
  const options = { encoding: 'utf8', env: { PATH: process.env['PATH'], APPREG_CACHE_DIR: cache, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin/appreg.js'), ...words], options);
  return `${stdout}${stderr}exit ${status}`;
}

const RULES = ['rules', '--format', 'json'];

/** The only file of compiled code. */
function fileIn(cache: string): string {
  const names = readdirSync(join(cache, 'compiled'));
  expect(names).toHaveLength(1);
  return join(cache, 'compiled', names[0]!);
}

/** Identifies one writing of a file: each makes a new one. */
function writingOf(file: string): string {
  const { ino, mtimeMs } = statSync(file);
  return `${ino} ${mtimeMs}`;
}

describe.skipIf(!isNode20)('compiled code with Node 20', () => {
  test('is written once, only the user can read it, and it changes nothing', () => {
    const cache = temporaryFolder();
    const first = run(cache, RULES);
    const file = fileIn(cache);
    const written = writingOf(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(cache, 'compiled')).mode & 0o777).toBe(0o700);
    expect(run(cache, RULES)).toBe(first);
    expect(writingOf(file)).toBe(written);
    expect(run('', RULES)).toBe(first);
  });

  test('is extended by the files that another run loads', () => {
    const cache = temporaryFolder({ 'ws/registry.json': { apps: {} } });
    const words = ['lint', '--cwd', join(cache, 'ws')];
    run(cache, words);
    const { size } = statSync(fileIn(cache));
    run(cache, [...words, '--fix']);
    expect(statSync(fileIn(cache)).size).toBeGreaterThan(size);
  });

  test('is kept in one file for the help of all commands', () => {
    const cache = temporaryFolder();
    for (const words of [[], ['--help'], ['lint', '--help'], ['verify', '-h']]) run(cache, words);
    fileIn(cache);
  });

  test('of a command that sets flags of V8 is accepted by the next process', () => {
    const cache = temporaryFolder({
      'ws/registry.json': { apps: {} },
      'ws/appreg.config.json': { baseUrl: 'https://apps.example.com/' },
    });
    const site = ['site', join(cache, 'out'), '--cwd', join(cache, 'ws')];
    run(cache, site);
    const written = writingOf(fileIn(cache));
    run(cache, site);
    expect(writingOf(fileIn(cache))).toBe(written);
  });

  test.each<[damage: string, apply: (file: string) => void]>([
    ['empty', (file) => truncateSync(file, 0)],
    ['three bytes long', (file) => truncateSync(file, 3)],
    ['cut in the index', (file) => truncateSync(file, 40)],
    ['cut in the data', (file) => truncateSync(file, statSync(file).size - 1)],
    ['other data', (file) => writeFileSync(file, Buffer.alloc(5000, 0xff))],
  ])('is compiled again if the file is %s', (_, damage) => {
    const cache = temporaryFolder();
    const first = run(cache, RULES);
    const file = fileIn(cache);
    const { size } = statSync(file);
    damage(file);
    expect(run(cache, RULES)).toBe(first);
    // V8 does not return the same number of bytes each time.
    expect(statSync(fileIn(cache)).size / size).toBeCloseTo(1, 2);
  });

  test('with other flags of V8 is rejected, and written again', () => {
    const cache = temporaryFolder();
    const first = run(cache, RULES);
    const written = writingOf(fileIn(cache));
    expect(run(cache, RULES, { NODE_OPTIONS: '--stack-trace-limit=20 --max-old-space-size=300' })).toBe(first);
    expect(writingOf(fileIn(cache))).not.toBe(written);
  });

  test('is not written by a command that cannot run, nor in a folder that others can write to', () => {
    const cache = temporaryFolder();
    run(cache, ['lint', join(cache, 'missing.json')]);
    expect(readdirSync(join(cache, 'compiled'))).toEqual([]);
    chmodSync(join(cache, 'compiled'), 0o777);
    run(cache, RULES);
    expect(readdirSync(join(cache, 'compiled'))).toEqual([]);
  });

  test.each(['NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE'])('is turned off by %s', (name) => {
    const cache = temporaryFolder();
    run(cache, RULES, { [name]: join(cache, 'coverage') });
    expect(readdirSync(cache)).not.toContain('compiled');
  });

  test('of other builds is deleted after a month', () => {
    const cache = temporaryFolder({ 'compiled/lint-old': 'old', 'compiled/lint-new': 'new' });
    chmodSync(join(cache, 'compiled'), 0o700);
    mkdirSync(join(cache, 'compiled/v22'));
    const before = new Date(Date.now() - 31 * 24 * 3600 * 1000);
    for (const name of ['lint-old', 'v22']) utimesSync(join(cache, 'compiled', name), before, before);
    run(cache, RULES);
    const names = readdirSync(join(cache, 'compiled')).filter((name) => !name.startsWith('rules-'));
    expect(names).toEqual(['lint-new', 'v22']);
  });
});

test('the name of the file has the digest of the build', () => {
  const built = join(ROOT, 'dist/cli');
  const digest = createHash('sha256');
  const [, found = ''] = /-([0-9a-f]{24})-/.exec(readFileSync(join(built, 'code-file.cjs'), 'utf8')) ?? [];
  const files = readdirSync(built, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.endsWith('.cjs'),
  );
  for (const { name } of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const content = readFileSync(join(built, name), 'utf8');
    digest.update(name).update(name === 'code-file.cjs' ? content.replace(found, '(digest of this build..)') : content);
  }
  expect(found).toBe(digest.digest('hex').slice(0, 24));
});
