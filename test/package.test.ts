import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { minVersion, satisfies } from 'semver';
import { describe, expect, test } from 'vitest';
import { workspaceFiles } from '../src/author/workspace-files.ts';

/** The package: its lock file, its setup, and what is published. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  /** For an alias. */
  name?: string;
  hasInstallScript?: boolean;
  engines?: { node?: string };
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

/** Optional dependencies without an entry of their own in a lock file: `npm ci` refuses such a lock file. */
function missingOptionals(packages: Record<string, LockedPackage>): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !(`${path}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages))
      .map((name) => `${path}: ${name}`),
  );
}

describe('the lock file', () => {
  const { packages } = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };
  // Without the packages of this repository, and the links to them.
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );

  test('contains the packages of every platform, so that npm ci accepts it', () => {
    expect(missingOptionals(packages)).toEqual([]);
    expect(missingOptionals({ a: { optionalDependencies: { 'a-win32': '1.0.0' } } })).toEqual(['a: a-win32']);
  });

  test('contains no registry host, and the digest of every package', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
    expect(installed.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
  });

  test('matches package.json', () => {
    const { optionalDependencies, devDependencies, peerDependencies } = readJson('package.json') as Record<
      string,
      unknown
    >;
    expect(packages['']).toMatchObject({ optionalDependencies, devDependencies, peerDependencies });
  });

  test('contains only packages for each version of Node that this package is for', () => {
    const { engines } = readJson('package.json') as { engines: { node: string } };
    const versions = [minVersion(engines.node)!, '20.20.0', '22.22.2', '24.15.0', '26.0.0'];
    const others = installed.flatMap(([path, { engines: promised }]) =>
      versions
        .filter((version) => promised?.node !== undefined && !satisfies(version, promised.node))
        .map((version) => `${path} on ${String(version)}`),
    );
    expect(others, 'npm ci warns of them (EBADENGINE)').toEqual([]);
  });

  test('contains no package with an install script that npm would warn about', () => {
    const { allowScripts } = readJson('package.json') as { allowScripts: Record<string, boolean> };
    const names = installed
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path, { name }]) => name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(allowScripts).toSorted());
    // None of them is needed.
    expect(Object.values(allowScripts)).not.toContain(true);
  });
});

test('tsc is that of TypeScript 7, with an older one for the tests of declarations', () => {
  const { devDependencies } = readJson('package.json') as { devDependencies: Record<string, string> };
  const tsc = join(root, 'node_modules/.bin/tsc');
  const version = execFileSync(process.execPath, [realpathSync(tsc), '--version'], { encoding: 'utf8' });
  expect(version.trim(), 'npm ci links it').toBe(`Version ${devDependencies['typescript']}`);
});

test('setup is npm ci, also in CI', () => {
  expect((readJson('package.json') as { scripts: Record<string, string> }).scripts['setup']).toBe('npm ci');
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(/^npm ci$/m);
  expect(readFileSync(join(root, 'scripts/setup.mjs'), 'utf8')).not.toMatch(/'install'|npm install/);
});

/** The configuration that `init` of this version of appreg writes. */
function configurationOf(appreg: string): string {
  const base = { manifest: 'registry.json', baseUrl: 'https://a.example/', serviceOrigins: [], host: null };
  const files = workspaceFiles({ ...base, ci: 'none', attest: false, store: { type: 'directory' }, appreg });
  return files.find(({ path }) => path === 'appreg.config.json')?.text ?? '';
}

describe('$schema of the configuration that init writes', () => {
  const { version, files } = readJson('package.json') as { version: string; files: string[] };

  test('is a URL of a file in the package, which does not depend on an installation', () => {
    const config = JSON.parse(configurationOf(version)) as { $schema: string };
    const [, range, path] = /^https:\/\/unpkg\.com\/appreg@([\d.]+)\/(.+)$/.exec(config.$schema) ?? [];
    expect(satisfies(version, range ?? '')).toBe(true);
    expect(files).toContain(path?.split('/')[0]);
    const schema = readJson(path ?? '');
    expect(new Ajv({ strict: false }).validate(schema as object, config)).toBe(true);
  });

  test('includes the versions with the same meaning', () => {
    expect(configurationOf('0.3.9')).toContain('appreg@0.3/');
    expect(configurationOf('2.1.0')).toContain('appreg@2/');
  });
});
