import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { requireBuild } from '../support/recorded.ts';
import { describeOnNodes } from '../support/nodes.ts';
import { folder as temporaryFolder } from '../support/folders.ts';

/** Node 22.1 and later keep the compiled code of a command for the next process. */

const PROGRAM = join(import.meta.dirname, '../../bin/appreg.js');

beforeAll(requireBuild);

describeOnNodes('the cache of compiled code', (node) => {
  /** Runs a command that prints the same each time. @returns what it printed */
  function run(env: Record<string, string>): string {
    const { status, stdout, stderr } = spawnSync(node, [PROGRAM, 'rules', '--format', 'json'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  }

  test('is in a folder that only the user can read, and changes nothing', () => {
    const cache = temporaryFolder();
    const first = run({ XDG_CACHE_HOME: cache });
    const folder = join(cache, 'appreg/compiled');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(run({ XDG_CACHE_HOME: cache })).toBe(first);
    expect(run({ APPREG_CACHE_DIR: '' })).toBe(first);
  });

  test.each([
    ['an empty APPREG_CACHE_DIR', { APPREG_CACHE_DIR: '' }],
    ['NODE_DISABLE_COMPILE_CACHE', { NODE_DISABLE_COMPILE_CACHE: '1' }],
  ])('is turned off by %s', (_, off) => {
    const cache = temporaryFolder();
    run({ XDG_CACHE_HOME: cache, ...off });
    const folder = join(cache, 'appreg/compiled');
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });

  test('is not used if other users can write to the folder', () => {
    const cache = temporaryFolder();
    const folder = join(cache, 'appreg/compiled');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    run({ XDG_CACHE_HOME: cache });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is not required: a file in its place is left as it is', () => {
    const cache = temporaryFolder({ 'appreg/compiled': 'a file' });
    run({ XDG_CACHE_HOME: cache });
    expect(readFileSync(join(cache, 'appreg/compiled'), 'utf8')).toBe('a file');
  });
});
