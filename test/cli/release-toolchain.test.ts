import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BuildOptions, BuildResult } from 'esbuild';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SourceOptions } from '../../src/cli/check/artifact-source.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import type { Results } from '../../src/report/results.ts';
import { startServer } from '../../src/serve/server.ts';
import { writeFiles } from '../bundle/tree.ts';
import { tarGz } from '../publish/memory.ts';
import { folder } from '../support/folders.ts';
import { contextIn } from './author-support.ts';
import { BASE, repository, releaseIn, sources, statesOf, textOf } from './release-fixture.ts';

/** An esbuild whose later version writes other bytes for the same code. */
const toolchain = vi.hoisted(() => ({ version: '0.28.2', banner: '' }));
beforeEach(() => {
  toolchain.version = '0.28.2';
  toolchain.banner = '';
  // With a path to its executable, its API is always used.
  vi.stubEnv('ESBUILD_BINARY_PATH', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

vi.mock('esbuild', async (original) => {
  const esbuild = await original<typeof import('esbuild')>();
  return {
    ...esbuild,
    get version() {
      return toolchain.version;
    },
    build: async (options: BuildOptions): Promise<BuildResult> =>
      esbuild.build({ ...options, ...(toolchain.banner && { banner: { js: toolchain.banner } }) }),
  };
});

function upgrade(): void {
  toolchain.version = '0.29.0';
  toolchain.banner = '// 0.29.0';
}

test('other bytes by another esbuild are rebuilt, and not published; with other sources they are changed', async () => {
  const root = await repository(sources({ clock: '1.0.0', lamp: '1.0.0', fresh: '1.0.0' }), {
    listed: ['clock', 'lamp', 'fresh'],
  });
  await releaseIn(root, { app: ['clock', 'lamp'] });
  upgrade();
  writeFiles(root, { 'src/lamp/main.ts': 'export const app = 1;\n' });
  const metadata = textOf(root, 'apps/clock/versions.json');
  const run = await releaseIn(root);
  expect(statesOf(run)).toEqual({ clock: 'rebuilt', lamp: 'changed', fresh: 'new' });
  expect(run.apps['clock']).toMatchObject({ published: false, message: expect.stringContaining('same sources') });
  expect(run.apps['clock']?.checksum).not.toBe(run.apps['clock']?.listedChecksum);
  expect(textOf(root, 'apps/clock/versions.json')).toBe(metadata);
  expect(await releaseIn(root, { check: true, app: ['clock'] })).toMatchObject({ code: 0 });

  // Without the record nothing shows that the sources are the same.
  rmSync(join(root, 'appreg.lock.json'));
  expect(statesOf(await releaseIn(root, { check: true, app: ['clock'] }))).toEqual({ clock: 'changed' });
});

test('--against a URL reads the lock file that is served beside the manifest', async () => {
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  await releaseIn(root);
  const served = join(folder(), 'served');
  cpSync(root, served, { recursive: true });
  rmSync(join(root, 'appreg.lock.json'));
  const serving = await startServer({
    root: served,
    host: '127.0.0.1',
    port: 0,
    manifest: 'registry.json',
    serviceOrigins: [],
    rewriteFrom: BASE,
    https: false,
  });
  try {
    const checked = async (): Promise<[Record<string, string>, string[]]> => {
      const run = await releaseIn(root, { check: true, against: serving.manifestUrl });
      return [statesOf(run), run.context.printed.log];
    };
    expect(await checked()).toEqual([{ clock: 'unchanged' }, []]);
    upgrade();
    expect(await checked()).toEqual([{ clock: 'rebuilt' }, []]);
    // A page in place of a file that does not exist.
    writeFiles(served, { 'appreg.lock.json': '<!doctype html>' });
    expect(await checked()).toEqual([
      { clock: 'changed' },
      [expect.stringMatching(/^warning: http:.*\/appreg\.lock\.json is not a valid lock file \(/)],
    ]);
    rmSync(join(served, 'appreg.lock.json'));
    expect(await checked()).toEqual([{ clock: 'changed' }, []]);
  } finally {
    await serving.close();
  }
});

test('publish-version --dry-run has the steps of the run, with the lock file', async () => {
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  const run = async (dryRun: boolean): Promise<[unknown, string][]> => {
    const context = contextIn(root, { format: 'json' });
    const options = { entry: 'src/clock/main.ts', readBack: false, anyContent: true, dryRun };
    expect(await runPublishVersion(context, 'clock', '1.0.0', options)).toBe(0);
    const { steps }: Results['publish-version'] = JSON.parse(context.printed.out.join('\n'));
    return steps.map(({ path, outcome }) => [outcome, path]);
  };
  const artifact = 'apps/clock/versions/1.0.0.tar.gz';
  const metadata = 'apps/clock/versions.json';
  expect(await run(true)).toEqual([
    [null, artifact],
    [null, metadata],
    [null, 'appreg.lock.json'],
  ]);
  expect(textOf(root, 'appreg.lock.json')).toBeNull();
  expect(await run(false)).toEqual([
    ['created', artifact],
    ['edited', metadata],
    ['created', 'appreg.lock.json'],
  ]);
  expect(await run(true)).toEqual([]);
  // As after an interruption before the last step.
  rmSync(join(root, 'appreg.lock.json'));
  expect(await run(true)).toEqual([[null, 'appreg.lock.json']]);
});

test('publish-version --entry records what a version was built from, as release does', async () => {
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  const publish = async (version: string, from: SourceOptions): Promise<void> => {
    const context = contextIn(root);
    expect(await runPublishVersion(context, 'clock', version, { ...from, readBack: false, anyContent: true })).toBe(0);
  };
  await publish('1.0.0', { entry: 'src/clock/main.ts' });
  const recorded = textOf(root, 'appreg.lock.json');
  // release has nothing to add.
  expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { unchanged: 1 } } });
  expect(textOf(root, 'appreg.lock.json')).toBe(recorded);
  upgrade();
  expect(statesOf(await releaseIn(root, { check: true }))).toEqual({ clock: 'rebuilt' });

  // What an existing archive was built from is unknown.
  writeFileSync(join(root, 'a.tar.gz'), tarGz('other'));
  await publish('1.1.0', { artifact: 'a.tar.gz' });
  const lock: { apps: Record<string, Record<string, object>> } = JSON.parse(textOf(root, 'appreg.lock.json') ?? '');
  expect(lock.apps['clock']?.['1.0.0']).toMatchObject({ toolchain: { esbuild: '0.28.2' } });
  expect(lock.apps['clock']?.['1.1.0']).not.toHaveProperty('sources');
});

test('other bytes of the same sources and toolchain are changed: a setting differs', async () => {
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  await releaseIn(root);
  toolchain.banner = '// a setting';
  expect(statesOf(await releaseIn(root, { check: true }))).toEqual({ clock: 'changed' });
});

test('every file that the bundler read counts, and the place of the repository does not', async () => {
  const files = {
    ...sources({ clock: '1.0.0' }),
    'src/clock/main.ts': "import { a } from 'dep';\nimport b from './b.json';\nexport const app = [a, b];\n",
    'src/clock/b.json': '1',
    'src/clock/unused.ts': 'export {};\n',
    'tsconfig.json': '{ "extends": "./base.json" }',
    'base.json': '{}',
    'node_modules/dep/package.json': '{ "name": "dep", "version": "1.0.0", "main": "i.js" }',
    'node_modules/dep/i.js': 'export const a = 1; // note\n',
  };
  const root = await repository(files, { listed: ['clock'] });
  await releaseIn(root);
  const moved = join(folder(), 'elsewhere/deep');
  cpSync(dirname(join(root, 'registry.json')), moved, { recursive: true });
  upgrade();
  const stateAfter = async (path: string, text: string): Promise<string | undefined> => {
    const before = textOf(moved, path) ?? '';
    writeFiles(moved, { [path]: text });
    const { apps } = await releaseIn(moved, { check: true });
    writeFiles(moved, { [path]: before });
    return apps['clock']?.state;
  };
  expect(await stateAfter('src/clock/unused.ts', 'export const c = 1;\n')).toBe('rebuilt');
  expect(await stateAfter('src/clock/VERSION', '1.0.0\r\n')).toBe('rebuilt');
  expect(await stateAfter('src/clock/b.json', '1 ')).toBe('changed');
  expect(await stateAfter('node_modules/dep/i.js', 'export const a = 1; // other\n')).toBe('changed');
  expect(await stateAfter('base.json', '{ "compilerOptions": {} }')).toBe('changed');
});

test('packages that are not installed are named, with the command that installs them', async () => {
  const root = await repository(
    {
      ...sources({ clock: '1.0.0', lamp: '1.0.0' }),
      'src/clock/main.ts': "import 'left-pad/sub';\n",
      'src/clock/package.json': '{ "dependencies": { "left-pad": "1.0.0" } }',
      'src/clock/package-lock.json': '{}',
      'src/lamp/main.ts': "import '@acme/x';\n",
      'src/lamp/package.json': '{}',
      'package.json': '{ "workspaces": ["src/lamp"] }',
      'pnpm-lock.yaml': '',
    },
    { listed: ['clock', 'lamp'] },
  );
  const { apps } = await releaseIn(root, { check: true });
  expect(apps['clock']).toMatchObject({
    state: 'broken',
    message: expect.stringContaining('Could not resolve "left-pad/sub"'),
    advice: 'The package “left-pad” is not installed: run npm ci in src/clock.',
  });
  expect(apps['lamp']?.advice).toBe(
    'The package “@acme/x” is not installed, and not a dependency of its package.json. Check the spelling of its name in the import before you install it, and add the right one to the package.json in src/lamp.',
  );
});
