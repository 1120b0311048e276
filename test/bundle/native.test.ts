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
  test.each<[string, boolean, Record<string, string>, Partial<BundleOptions>]>([
    ['code', true, { 'main.ts': 'export const a: number = 1;' }, {}],
    ['dependencies', true, { 'main.ts': `import { sep } from 'dep'; export { sep };`, ...DEP }, {}],
    ['minified', true, { 'main.ts': `import { sep } from 'dep'; export { sep };`, ...DEP }, { minify: true }],
    [
      'JSX',
      true,
      { 'main.tsx': `export const x = <a b="c"/>;`, 'node_modules/react/jsx-runtime.js': 'exports.jsx = String;' },
      {},
    ],
    ['a picture', true, { 'main.ts': `export { default } from './a.svg';`, 'a.svg': '<svg/>' }, {}],
    [
      'a tsconfig',
      true,
      {
        'main.ts': `export { a } from '@/b';`,
        'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./*"]}}}',
        'b.ts': 'export const a = 1;',
      },
      {},
    ],
    ['a target', true, { 'main.ts': 'export const a = (b?: any) => b?.c ?? 1;' }, { target: 'es2019' }],
    ['what is left out', true, { 'main.ts': `import x from 'left'; export { x };` }, { external: ['left'] }],
    ['__dirname', true, { 'main.ts': 'export const a = [__dirname, __filename];' }, {}],
    [
      'text that looks like a path',
      true,
      { 'main.ts': `export const a = ['./x', b('../y'), c.startsWith("./")];` },
      {},
    ],
    ['a path that is loaded when it runs', false, { 'main.ts': `export const a = import('./x.node');` }, {}],
    ['one that is required', false, { 'main.ts': `export const a = () => require('./x.node');` }, {}],
    ['one that is resolved', false, { 'main.ts': `export const a = () => require.resolve('../x.node');` }, {}],
    [
      'one that is imported',
      false,
      { 'main.ts': `import '../y.js'; export * from './x.node';` },
      { external: ['../y.js'] },
    ],
    ['one with a remark', false, { 'main.ts': `export const a = import(/* webpackIgnore: true */ './x.node');` }, {}],
    ['one in minified code', false, { 'main.ts': `export const a = () => require('./x.node');` }, { minify: true }],
    ['a source map', false, { 'main.ts': 'export const a: number = 1;' }, { sourcemap: true }],
    ['CSS', false, { 'main.ts': `import './a.css';`, 'a.css': 'a { top: 0 }' }, {}],
    ['a warning', false, { 'main.ts': 'export const a = () => { return\n 1; };' }, {}],
    ['an error', false, { 'main.ts': `import 'nowhere';` }, {}],
    ['an unknown target', false, { 'main.ts': '' }, { target: 'nonesuch' }],
    ['a name that means something to it', false, { 'a=main.ts': 'export {};' }, {}],
  ])('is used with the same result as the API for %s: %s', async (_, alone, files, options) => {
    const folder = tree(files);
    const entry = join(folder, Object.keys(files)[0]!);
    const made = await outcome({ entry, ...options });
    expect(runs.ofApi).toBe(alone ? 0 : 1);
    expect(made).toEqual(await outcomeByApi({ entry, ...options }));
  });
});

/** In an unusual installation, the API is used. */
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
    expect(run()).toMatch(
      /^esbuild-unusable esbuild \(which compiles the code\) does not work on this system: .*could not be found/,
    );
  });

  test('is unusable if its executable cannot be run', () => {
    writeFiles(folder, {
      [`node_modules/${platform}/package.json`]: readFileSync(join(ROOT, 'node_modules/esbuild/package.json')),
      [`node_modules/${platform}/bin/esbuild`]: 'nothing',
    });
    expect(run()).toMatch(/^esbuild-unusable /);
  });

  test('is used through its API if its executable has another version', async () => {
    writeFiles(folder, { [`node_modules/${platform}/package.json`]: '{"name":"x","version":"0.0.1"}' });
    cpSync(join(ROOT, 'node_modules', platform, 'bin/esbuild'), join(folder, 'node_modules', platform, 'bin/esbuild'));
    expect(run().trim()).toBe((await bundle({ entry: join(folder, 'main.ts') })).checksum);
  });
});
