import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ESBUILD_VERSION, PROGRAM_PACKAGE } from '../../src/bundle/esbuild-program.ts';
import { MANAGER_ENV, packInto, packageManager, type PackageManager } from '../support/package-managers.ts';

/** appreg added to an empty project by each package manager as it is by default; then it bundles an app. */

const scratch = mkdtempSync(join(tmpdir(), 'appreg-installs-'));
let tarball: string;
beforeAll(async () => {
  tarball = await packInto(join(scratch, 'packed'));
}, 240_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function run(words: readonly string[], cwd: string): { status: number | null; out: string } {
  const [program, ...args] = words;
  const env: NodeJS.ProcessEnv = { ...process.env, ...MANAGER_ENV, APPREG_CACHE_DIR: '' };
  // The settings of the npm that runs the tests.
  for (const name of Object.keys(env)) if (/^npm_(?!config_(?:registry|store_dir)$)/.test(name)) delete env[name];
  const done = spawnSync(program!, args, { cwd, env, encoding: 'utf8', timeout: 240_000 });
  return { status: done.status, out: `${done.stdout}${done.stderr}` };
}

function emptyProject(name: string): string {
  const folder = join(scratch, name.replaceAll(' ', '-'));
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "vendor", "private": true }\n');
  writeFileSync(join(folder, 'main.ts'), 'export const app: number = 1;\n');
  // Yarn would look for the project in the folders above.
  writeFileSync(join(folder, 'yarn.lock'), '');
  return folder;
}

const checksumOf = (folder: string): string =>
  createHash('sha256')
    .update(readFileSync(join(folder, 'out.tar.gz')))
    .digest('hex');

/** How each adds a package, and runs its program. */
const MANAGERS: Record<PackageManager | 'npm', { add: readonly string[]; exec: readonly string[] }> = {
  npm: { add: ['install'], exec: ['exec', '--'] },
  'npm 10': { add: ['install'], exec: ['exec', '--'] },
  'npm 12': { add: ['install'], exec: ['exec', '--'] },
  pnpm: { add: ['add'], exec: ['exec'] },
  'yarn classic': { add: ['add'], exec: ['--silent', 'run'] },
  yarn: { add: ['add'], exec: ['run'] },
  bun: { add: ['add'], exec: ['run'] },
};

describe('the packed tool', () => {
  const checksums = new Map<string, string>();

  test.for(Object.keys(MANAGERS) as (keyof typeof MANAGERS)[])(
    'is installed by %s without a warning about scripts or versions, and bundles',
    { timeout: 600_000 },
    (name, { skip }) => {
      const manager = name === 'npm' ? ['npm'] : packageManager(name);
      if (manager === null) return skip(`${name} cannot be installed here`);
      const { add, exec } = MANAGERS[name];
      const folder = emptyProject(name);
      const specifier = name === 'yarn' ? `appreg@file:${tarball}` : tarball;
      const added = run([...manager, ...add, specifier], folder);
      expect(added).toMatchObject({ status: 0 });
      expect(added.out).not.toMatch(/EBADENGINE|scripts?\b|deprecated|peer dep/i);
      expect(run([...manager, ...exec, 'appreg', 'bundle', 'main.ts', 'out.tar.gz'], folder)).toMatchObject({
        status: 0,
      });
      checksums.set(name, checksumOf(folder));
    },
  );

  test('builds the same bytes under all of them', () => {
    expect(checksums.size).toBeGreaterThan(0);
    expect(new Set(checksums.values()).size).toBe(1);
  });

  test('says what to install if optional packages were left out, and then bundles', { timeout: 600_000 }, () => {
    const folder = emptyProject('omitted');
    expect(run(['npm', 'install', '--omit=optional', tarball], folder)).toMatchObject({ status: 0 });
    const bundle = ['npm', 'exec', '--', 'appreg', 'bundle', 'main.ts', 'out.tar.gz'];
    const refused = run(bundle, folder);
    expect(refused.status).toBe(2);
    expect(refused.out).toContain(`is not installed: ${PROGRAM_PACKAGE}`);
    for (const command of ['--include=optional', `esbuild-wasm@${ESBUILD_VERSION}`])
      expect(refused.out).toContain(command);
    expect(run(['npm', 'install', '--omit=optional', `esbuild-wasm@${ESBUILD_VERSION}`], folder)).toMatchObject({
      status: 0,
    });
    expect(run(bundle, folder)).toMatchObject({ status: 0 });
    const portable = checksumOf(folder);
    expect(run(['npm', 'uninstall', '--omit=optional', 'esbuild-wasm'], folder)).toMatchObject({ status: 0 });
    expect(run(bundle, folder).status).toBe(2);
    expect(run(['npm', 'install', '--include=optional'], folder)).toMatchObject({ status: 0 });
    expect(run(bundle, folder)).toMatchObject({ status: 0 });
    expect(checksumOf(folder)).toBe(portable);
  });
});
