import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { minVersion, satisfies } from 'semver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error a script without types
import { licenceTexts } from '../scripts/bundled-packages.mjs';
import { workspaceFiles } from '../src/author/workspace-files.ts';
import { buildInto } from './support/built.ts';
import { billErrors } from './support/cyclonedx.ts';

/** The package: its lock file, its setup, and what is published. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** The folders of the tool, the service and the kit. */
const PACKAGES = ['', 'service', 'conformance'] as const;
const manifestOf = (folder: string): Manifest => readJson(join(folder, 'package.json')) as Manifest;

interface Manifest {
  name: string;
  version: string;
  description: string;
  keywords: string[];
  homepage: string;
  bugs: { url: string };
  license: string;
  repository: { url: string; directory?: string };
  files: string[];
  engines: object;
  dependencies?: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta?: object;
}

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

  test.each(PACKAGES)('matches the package.json in "%s"', (folder) => {
    const { name, version, devDependencies, peerDependencies, peerDependenciesMeta = {} } = manifestOf(folder);
    expect({ peerDependenciesMeta: {}, ...packages[folder] }).toMatchObject({
      name,
      version,
      devDependencies,
      peerDependencies,
      peerDependenciesMeta,
    });
  });

  test('contains the optional dependencies of package.json', () => {
    const { optionalDependencies } = manifestOf('');
    expect(packages['']).toMatchObject({ optionalDependencies });
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

describe('the three packages', () => {
  const { version, bugs, license, engines, repository, devDependencies } = manifestOf('');

  test.each(['service', 'conformance'])('%s has the version of the tool, and the same project', (folder) => {
    const own = manifestOf(folder);
    expect(own).toMatchObject({ name: `appreg-${folder}`, version, bugs, license, engines });
    expect(own.repository).toEqual({ ...repository, directory: folder });
    expect(own.homepage).toBe(`https://github.com/appreg/appreg/tree/main/${folder}#readme`);
    expect(own.keywords.length).toBeGreaterThan(3);
    expect(own.peerDependencies['appreg']).toBe(version);
    expect(manifestOf('').peerDependencies[own.name]).toBe(version);
  });

  test.each(['service', 'conformance'])(
    '%s has a README with the command that installs it, and a licence',
    (folder) => {
      const readme = readFileSync(join(root, folder, 'README.md'), 'utf8');
      expect(readme).toContain(`npm install --global appreg appreg-${folder}`);
      const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
      expect(links.filter((target) => !target.startsWith('https://'))).toEqual([]);
      const files = links.flatMap((target) => /appreg\/appreg\/(?:blob|tree)\/main\/([^#]+)/.exec(target)?.[1] ?? []);
      expect(files.length).toBeGreaterThan(1);
      expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
      expect(readFileSync(join(root, folder, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
    },
  );

  test('install nothing but the program of esbuild, and share no dependency in two versions', () => {
    for (const folder of PACKAGES) expect(manifestOf(folder).dependencies).toBeUndefined();
    expect(Object.keys(manifestOf('').optionalDependencies!).filter((name) => !name.startsWith('@esbuild/'))).toEqual(
      [],
    );
    const others = { ...manifestOf('service').devDependencies, ...manifestOf('conformance').devDependencies };
    const shared = Object.keys(others).filter((name) => name in devDependencies);
    expect(shared).toEqual(['hono']);
    for (const name of shared) expect(others[name]).toBe(devDependencies[name]);
  });
});

describe('a bill of materials', () => {
  const built = mkdtempSync(join(tmpdir(), 'appreg-bills-'));
  const DIST = {
    appreg: 'dist',
    'appreg-service': 'node_modules/appreg-service/dist',
    'appreg-conformance': 'node_modules/appreg-conformance/dist',
  };
  const bills = Object.entries(DIST);
  beforeAll(() => buildInto(built));
  afterAll(() => rmSync(built, { recursive: true, force: true }));
  const read = (dist: string, file: string): string => readFileSync(join(built, dist, file), 'utf8');

  test.each(bills)('of %s is valid, and has name, version, licence and purl of each package', async (name, dist) => {
    const text = read(dist, 'bom.cdx.json');
    expect(await billErrors(text)).toBeNull();
    const { metadata, components = [] } = JSON.parse(text) as Bill;
    expect(metadata).toMatchObject({ component: { name, purl: `pkg:npm/${name}@${manifestOf('').version}` } });
    expect(metadata).not.toHaveProperty('timestamp');
    for (const one of components)
      expect(one).toMatchObject({
        version: expect.stringMatching(/^\d/),
        licenses: [expect.anything()],
        purl: expect.stringMatching(/^pkg:npm\/.+@\d/),
      });
    const listed = components.map(({ group, name: last, version }) => `${group ? `${group}/` : ''}${last} ${version}`);
    const licences = [...read(dist, 'THIRD-PARTY-LICENSES.txt').matchAll(/^(\S+ \d\S*) \(.+\)$/gm)].map(
      ([, one]) => one,
    );
    expect(listed.toSorted()).toEqual(licences.toSorted());
  });

  test('has a licence text once, after the copyright notices of all packages that have it', () => {
    const texts = licenceTexts(
      [
        ['a', 'Copyright (c) 2020 A', 'Permission is granted.'],
        ['b', 'Copyright (c) B <b@b.example>', 'Permission\n  is granted.'],
        ['c', 'Copyright (c) 2021 C', 'Permission is not granted.'],
      ].map(([name, owner, terms]) => ({
        manifest: { name, version: '1.0.0', license: 'MIT' },
        text: `MIT License\n\n${owner}\n\n${terms}\n`,
      })),
    );
    const [shared, other] = texts.split(/^-+$/m);
    expect(shared.match(/^[abc] 1|^Copyright.*|^Permission.*/gm)).toEqual([
      'a 1',
      'b 1',
      'Copyright (c) 2020 A',
      'Copyright (c) B <b@b.example>',
      'Permission is granted.',
    ]);
    expect(other).toContain('Copyright (c) 2021 C\n\nMIT License\n\nPermission is not granted.');
  });

  test('lists what each package is made of', () => {
    const names = bills.map(
      ([, dist]) => (JSON.parse(read(dist, 'bom.cdx.json')) as Bill).components?.map((one) => one.name) ?? [],
    );
    const [tool, service, kit] = names as [string[], string[], string[]];
    expect(tool).toEqual(expect.arrayContaining(['commander', 'undici', 'esbuild']));
    expect(service).toEqual(expect.arrayContaining(['pg', 'kysely', 'prom-client']));
    expect(tool.filter((name) => ['pg', 'kysely', 'prom-client'].includes(name))).toEqual([]);
    expect(kit).toEqual([]);
  });
});

interface Bill {
  metadata: object;
  components?: { group?: string; name: string; version: string }[];
}

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
