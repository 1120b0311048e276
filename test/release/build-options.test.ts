import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBundle } from '../../src/cli/commands/bundle.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import type { OptionsOf } from '../../src/cli/io/invocation.ts';
import type { bundleCommand } from '../../src/cli/define/bundle.ts';
import type { publishVersionCommand } from '../../src/cli/define/publish-version.ts';
import type { BuildSettings } from '../../src/core/release/build-settings.ts';
import { readFileSync } from 'node:fs';
import { contextIn, refusal } from '../cli/author-support.ts';
import { BASE, releaseIn, repository } from '../cli/release-fixture.ts';
import { unpacked, writeFiles } from '../bundle/tree.ts';

/** The options of a build have the same effect in the configuration, in an item of `release`, in app.json and as flags. */

type Flags = OptionsOf<typeof bundleCommand>;

const FILES = {
  'src/a/main.ts': `import { name } from 'dep';
import query from './query.sql';
import data from './data.bin';
export const run = (longName?: { inner: unknown }) => longName?.inner ?? [name, query, data, MODE];
declare const MODE: string;
`,
  'src/a/query.sql': 'select 1',
  'src/a/data.bin': '\u0001\u0002',
  'src/a/extra.txt': 'extra',
  'src/a/VERSION': '1.0.0\n',
  'node_modules/dep/package.json': JSON.stringify({
    name: 'dep',
    version: '1.0.0',
    license: 'MIT',
    exports: { production: './production.js', default: './default.js' },
  }),
  'node_modules/dep/production.js': `export const name = 'production';`,
  'node_modules/dep/default.js': `export const name = 'default';`,
  'node_modules/dep/dep.wasm': 'wasm',
  'node_modules/dep/LICENSE': 'MIT License',
};
/** Without these, the code does not build. */
const NEEDED: BuildSettings = { loader: { '.sql': 'text', '.bin': 'bytes' } };
const NEEDED_FLAGS = ['.sql=text', '.bin=bytes'];

const OPTIONS: { settings: BuildSettings; flags: Flags; has: RegExp; files?: string[] }[] = [
  { settings: { external: ['dep'] }, flags: { external: ['dep'] }, has: /from "dep"/ },
  { settings: { include: ['*.txt'] }, flags: { include: ['*.txt'] }, has: /default/, files: ['extra.txt'] },
  {
    settings: { include: [{ from: 'node_modules/dep/dep.wasm', to: 'lib/dep.wasm' }] },
    flags: { include: ['node_modules/dep/dep.wasm:lib/dep.wasm'] },
    has: /default/,
    files: ['lib/dep.wasm'],
  },
  { settings: { loader: { '.sql': 'bytes' } }, flags: { loader: ['.sql=bytes'] }, has: /c2VsZWN0IDE/ },
  {
    settings: { loader: { '.bin': 'file' } },
    flags: { loader: ['.bin=file'] },
    has: /"\.\/assets\/data-\w+\.bin"/,
    files: [expect.stringMatching(/^assets\/data-[A-Z0-9]{8}\.bin$/) as string],
  },
  { settings: { define: { MODE: '"fast"' } }, flags: { define: ['MODE="fast"'] }, has: /"fast"/ },
  { settings: { conditions: ['production'] }, flags: { conditions: ['production'] }, has: /"production"/ },
  { settings: { target: 'es2019' }, flags: { target: 'es2019' }, has: /longName == null/ },
  { settings: { minify: true }, flags: { minify: true }, has: /^(?!.*longName)/s },
  { settings: { sourcemap: true }, flags: { sourcemap: true }, has: /sourceMappingURL=data:/ },
];

interface Places {
  bundle?: BuildSettings;
  entry?: BuildSettings;
  app?: BuildSettings;
}

async function repositoryWith({ bundle = {}, entry = {}, app }: Places): Promise<string> {
  const release = [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION', ...entry }];
  return repository(
    {
      ...FILES,
      'appreg.config.json': JSON.stringify({ baseUrl: BASE, release, bundle }),
      ...(app && { 'src/a/app.json': JSON.stringify(app) }),
    },
    { listed: ['a'] },
  );
}

/** The archives of `bundle`, `publish-version` and `release`. */
async function archives(places: Places, flags: Flags | null = null): Promise<Record<string, Buffer>> {
  const bundled = await repositoryWith(places);
  const options = flags ?? {};
  await runBundle(contextIn(bundled, options), 'src/a/main.ts', 'out.tar.gz', options);
  const published = await repositoryWith(places);
  const publishing = { ...options, entry: 'src/a/main.ts', readBack: false };
  await runPublishVersion(contextIn(published, publishing), 'a', '1.0.0', publishing);
  const found = {
    bundle: readFileSync(join(bundled, 'out.tar.gz')),
    'publish-version': readFileSync(join(published, 'apps/a/versions/1.0.0.tar.gz')),
  };
  if (flags !== null) return found;
  const released = await repositoryWith(places);
  const { report } = await releaseIn(released, { allowDirty: true, check: true });
  expect(report.apps).toMatchObject([{ key: 'a', state: 'new' }]);
  return { ...found, release: Buffer.from(report.apps[0]!.checksum!) };
}

function checksumOf(archive: Uint8Array): string {
  return `sha256:${createHash('sha256').update(archive).digest('hex')}`;
}

describe('the same option in all places gives the same bytes', () => {
  test.each(OPTIONS.map((one) => [JSON.stringify(one.settings), one] as const))('%s', async (_, option) => {
    const { settings, flags, has, files = [] } = option;
    const given = settings.loader
      ? { ...settings, loader: { ...NEEDED.loader, ...settings.loader } }
      : { ...NEEDED, ...settings };
    const byFlag = { ...flags, loader: [...NEEDED_FLAGS, ...(flags.loader ?? [])] };
    const [first, ...others] = await Promise.all([
      archives({ bundle: given }),
      archives({ entry: given }),
      archives({ app: given }),
      archives({}, byFlag),
      archives({ bundle: NEEDED, entry: settings }),
    ]);
    const expected = first['bundle']!;
    for (const one of [first, ...others])
      for (const [command, archive] of Object.entries(one))
        expect(command === 'release' ? archive.toString() : checksumOf(archive), command).toBe(checksumOf(expected));
    const content = await unpacked(expected);
    expect(content['app.js']).toMatch(has);
    const without = ['app.js', 'THIRD-PARTY-NOTICES.txt'];
    expect(Object.keys(content).filter((path) => !without.includes(path))).toEqual(files);
  });
});

describe('the options of several places', () => {
  test('are joined; of single values, that of app.json counts more than that of release and the configuration', async () => {
    const places: Places = {
      bundle: { ...NEEDED, external: ['dep'], target: 'es2019', minify: true, define: { MODE: '"a"' } },
      entry: { target: 'node22', minify: true, include: ['extra.txt'] },
      app: { minify: false, define: { MODE: '"b"' } },
    };
    const { bundle } = await archives(places);
    const content = await unpacked(bundle!);
    expect(content['app.js']).toMatch(/from "dep"[^]*longName\?\.inner[^]*"b"/);
    expect(Object.keys(content)).toEqual(['app.js', 'extra.txt']);
    const { bundle: byFlag } = await archives(places, { minify: true, define: ['MODE="c"'] });
    expect((await unpacked(byFlag!))['app.js']).toMatch(/^(?!.*longName).*"c"/s);
  });

  test('include those of apps/<key>/app.json for an app with sources elsewhere', async () => {
    const root = await repositoryWith({ bundle: NEEDED });
    writeFiles(root, { 'apps/a/app.json': JSON.stringify({ minify: true }) });
    const { report } = await releaseIn(root, { allowDirty: true, check: true });
    await runBundle(contextIn(root), 'src/a/main.ts', 'out.tar.gz', {});
    const archive = readFileSync(join(root, 'out.tar.gz'));
    expect(report.apps.map(({ checksum }) => checksum)).toEqual([checksumOf(archive)]);
    expect((await unpacked(archive))['app.js']).not.toContain('longName');
  });
});

describe('an error names the place where the option is written', () => {
  const INVALID: { settings: object; flags: Flags; code: string }[] = [
    { settings: { include: ['*.none'] }, flags: { include: ['*.none'] }, code: 'include-without-match' },
    { settings: { include: ['../*'] }, flags: { include: ['../*'] }, code: 'include-outside' },
    {
      settings: { include: [{ from: 'none.wasm', to: 'a.wasm' }] },
      flags: { include: ['none.wasm:a.wasm'] },
      code: 'include-without-match',
    },
    { settings: { loader: { '.ts': 'text' } }, flags: { loader: ['.ts=text'] }, code: 'option-invalid' },
    { settings: { define: { MODE: 'a b' } }, flags: { define: ['MODE=a b'] }, code: 'option-invalid' },
    { settings: { conditions: ['a,b'] }, flags: { conditions: ['a,b'] }, code: 'option-invalid' },
    { settings: { target: 'node-last' }, flags: { target: 'node-last' }, code: 'build-target-unknown' },
    { settings: { target: '' }, flags: { target: '' }, code: 'build-target-unknown' },
  ];
  test.each(INVALID.map((one) => [JSON.stringify(one.settings), one] as const))('%s', async (_, invalid) => {
    const { settings, flags, code } = invalid;
    const [name = ''] = Object.keys(settings);
    const needed: BuildSettings = { ...NEEDED, external: ['dep'] };
    const refused = async (places: Places, options: Flags = {}) => {
      const root = await repositoryWith(places);
      return refusal(runBundle(contextIn(root, options), 'src/a/main.ts', 'out.tar.gz', options));
    };
    for (const places of [{ bundle: { ...needed, ...settings } }, { bundle: needed, entry: settings }]) {
      const error = await refused(places);
      expect(error).toMatchObject({ code, exit: 2 });
      expect(error.summary).toMatch(new RegExp(`appreg\\.config\\.json:1:\\d+: ${name} `));
      expect(error.summary).not.toContain(`--${name}`);
    }
    const inApp: Places = { bundle: needed, app: settings };
    expect((await refused(inApp)).summary).toMatch(new RegExp(`^src/a/app\\.json:1:\\d+: ${name} `));
    expect((await refused({ bundle: needed }, flags)).summary).toMatch(new RegExp(`^--${name} `));
    const { report } = await releaseIn(await repositoryWith(inApp), { allowDirty: true, check: true });
    expect(report.apps).toMatchObject([
      { state: 'broken', message: expect.stringMatching(new RegExp(`src/a/app\\.json:1:\\d+: ${name} `)) },
    ]);
  });

  test.each([
    ['../a.wasm', 'include-outside'],
    ['/a.wasm', 'include-outside'],
    ['a/../../b', 'include-outside'],
    ['app.js', 'bundle-name-collision'],
  ])('a file is not placed at %s', async (to, code) => {
    const root = await repositoryWith({ bundle: NEEDED });
    const options: Flags = { include: [`extra.txt:${to}`] };
    const error = await refusal(runBundle(contextIn(root, options), 'src/a/main.ts', 'out.tar.gz', options));
    expect(error).toMatchObject({ code, exit: 2 });
    const configured = await repositoryWith({ bundle: { ...NEEDED, include: [{ from: 'extra.txt', to }] } });
    await expect(
      (async () => runBundle(contextIn(configured), 'src/a/main.ts', 'out.tar.gz', {}))(),
    ).rejects.toMatchObject({ exit: 2 });
  });

  test.each(['minify', 'loader', 'external'] as const)('--%s needs --entry', async (name) => {
    const root = await repositoryWith({});
    const given = name === 'minify' ? { minify: true } : { [name]: ['.x=text'] };
    const options: OptionsOf<typeof publishVersionCommand> = { ...given, artifact: 'none.tar.gz' };
    await expect(runPublishVersion(contextIn(root, options), 'a', '1.0.0', options)).rejects.toMatchObject({
      code: 'option-conflict',
      summary: expect.stringContaining(`--${name} is only valid with --entry`),
    });
  });
});
