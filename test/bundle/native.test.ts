import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundle, type BundleOptions } from '../../src/bundle/bundle.ts';
import { writeFiles, tree } from './tree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const runs = vi.hoisted(() => ({ ofApi: 0 }));
vi.mock('esbuild', async (original) => {
  const esbuild = await original<typeof import('esbuild')>();
  return {
    ...esbuild,
    build: (options: object) => {
      runs.ofApi++;
      return esbuild.build(options);
    },
  };
});
afterEach(() => {
  vi.unstubAllEnvs();
  runs.ofApi = 0;
});

/** The result with the API, which is always used if a path to the executable is set. */
async function outcomeByApi(options: BundleOptions): Promise<unknown> {
  vi.stubEnv('ESBUILD_BINARY_PATH', '');
  const made = await outcome(options);
  vi.unstubAllEnvs();
  return made;
}

function outcome(options: BundleOptions): Promise<unknown> {
  return bundle(options).then(
    ({ checksum, warnings, entries }) => ({ checksum, warnings, entries }),
    (error: Error & { code?: string }) => [error.code, error.message],
  );
}

const DEP = {
  'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0"}',
  'node_modules/dep/index.js': `exports.sep = require('node:path').sep; // a dependency`,
};

describe.skipIf(process.platform === 'win32')('the executable of esbuild', () => {
  test.each<{ name: string; alone: boolean; files: Record<string, string>; options: Partial<BundleOptions> }>([
    { name: 'code', alone: true, files: { 'main.ts': 'export const a: number = 1;' }, options: {} },
    {
      name: 'dependencies',
      alone: true,
      files: { 'main.ts': `import { sep } from 'dep'; export { sep };`, ...DEP },
      options: {},
    },
    {
      name: 'minified',
      alone: true,
      files: { 'main.ts': `import { sep } from 'dep'; export { sep };`, ...DEP },
      options: { minify: true },
    },
    {
      name: 'JSX',
      alone: true,
      files: {
        'main.tsx': `export const x = <a b="c"/>;`,
        'node_modules/react/jsx-runtime.js': 'exports.jsx = String;',
      },
      options: {},
    },
    {
      name: 'a picture',
      alone: true,
      files: { 'main.ts': `export { default } from './a.svg';`, 'a.svg': '<svg/>' },
      options: {},
    },
    {
      name: 'a tsconfig',
      alone: true,
      files: {
        'main.ts': `export { a } from '@/b';`,
        'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./*"]}}}',
        'b.ts': 'export const a = 1;',
      },
      options: {},
    },
    {
      name: 'a target',
      alone: true,
      files: { 'main.ts': 'export const a = (b?: any) => b?.c ?? 1;' },
      options: { target: 'es2019' },
    },
    {
      name: 'what is left out',
      alone: true,
      files: { 'main.ts': `import x from 'left'; export { x };` },
      options: { external: ['left'] },
    },
    { name: '__dirname', alone: true, files: { 'main.ts': 'export const a = [__dirname, __filename];' }, options: {} },
    {
      name: 'text that looks like a path',
      alone: true,
      files: { 'main.ts': `export const a = ['./x', b('../y'), c.startsWith("./")];` },
      options: {},
    },
    {
      name: 'a path that is loaded when it runs',
      alone: false,
      files: { 'main.ts': `export const a = import('./x.node');` },
      options: {},
    },
    {
      name: 'one that is required',
      alone: false,
      files: { 'main.ts': `export const a = () => require('./x.node');` },
      options: {},
    },
    {
      name: 'one that is resolved',
      alone: false,
      files: { 'main.ts': `export const a = () => require.resolve('../x.node');` },
      options: {},
    },
    {
      name: 'one that is imported',
      alone: false,
      files: { 'main.ts': `import '../y.js'; export * from './x.node';` },
      options: { external: ['../y.js'] },
    },
    {
      name: 'one with a remark',
      alone: false,
      files: { 'main.ts': `export const a = import(/* webpackIgnore: true */ './x.node');` },
      options: {},
    },
    {
      name: 'one in minified code',
      alone: false,
      files: { 'main.ts': `export const a = () => require('./x.node');` },
      options: { minify: true },
    },
    {
      name: 'a source map',
      alone: false,
      files: { 'main.ts': 'export const a: number = 1;' },
      options: { sourcemap: true },
    },
    { name: 'CSS', alone: false, files: { 'main.ts': `import './a.css';`, 'a.css': 'a { top: 0 }' }, options: {} },
    { name: 'a warning', alone: false, files: { 'main.ts': 'export const a = () => { return\n 1; };' }, options: {} },
    { name: 'an error', alone: false, files: { 'main.ts': `import 'nowhere';` }, options: {} },
    { name: 'an unknown target', alone: false, files: { 'main.ts': '' }, options: { target: 'nonesuch' } },
    { name: 'a name that means something to it', alone: false, files: { 'a=main.ts': 'export {};' }, options: {} },
  ])('is used with the same result as the API for $name: $alone', async ({ alone, files, options }) => {
    const folder = tree(files);
    const entry = join(folder, Object.keys(files)[0]!);
    const made = await outcome({ entry, ...options });
    expect(runs.ofApi).toBe(alone ? 0 : 1);
    expect(made).toEqual(await outcomeByApi({ entry, ...options }));
  });
});

describe('an installed esbuild', () => {
  const platform = `@esbuild/${process.platform}-${arch()}`;
  let folder: string;
  beforeAll(async () => {
    folder = tree({ 'main.ts': 'export const a: number = 1;' });
    await build({
      stdin: {
        contents: `import { bundle } from './src/bundle/bundle.ts';
          bundle({ entry: process.argv[2] }).then(({ checksum }) => console.log(checksum), ({ code, message }) => console.log(code, message));`,
        resolveDir: ROOT,
      },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: join(folder, 'program.cjs'),
      external: ['esbuild'],
      define: { 'import.meta.url': '__url' },
      banner: { js: `const __url = require('node:url').pathToFileURL(__filename).href;` },
      logLevel: 'error',
    });
    const esbuild = join(folder, 'node_modules/esbuild');
    mkdirSync(esbuild, { recursive: true });
    for (const file of ['package.json', 'lib'])
      cpSync(join(ROOT, 'node_modules/esbuild', file), join(esbuild, file), { recursive: true });
  });

  const run = (): string =>
    execFileSync(process.execPath, [join(folder, 'program.cjs'), join(folder, 'main.ts')], { encoding: 'utf8' });

  test('is unusable without its executable', () => {
    expect(run()).toMatch(`esbuild-unusable The program of esbuild for this system, which compiles the code, is not`);
  });

  test('is unusable if its executable cannot be run', () => {
    writeFiles(folder, {
      [`node_modules/${platform}/package.json`]: readFileSync(join(ROOT, 'node_modules/esbuild/package.json')),
      [`node_modules/${platform}/bin/esbuild`]: 'nothing',
    });
    expect(run()).toMatch(/^esbuild-unusable The program of esbuild, which compiles the code, does not work on this/);
  });

  test('is unusable if its executable has another version', () => {
    writeFiles(folder, { [`node_modules/${platform}/package.json`]: '{"name":"x","version":"0.0.1"}' });
    cpSync(join(ROOT, 'node_modules', platform, 'bin/esbuild'), join(folder, 'node_modules', platform, 'bin/esbuild'));
    expect(run()).toMatch(/^esbuild-unusable .* is 0\.0\.1 instead of /);
  });
});
