import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeFiles, tree } from './tree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NODES = [process.execPath, ...(process.env['APPREG_NODES'] ?? '').split(',').filter((path) => path !== '')];

const APP: Record<string, string> = {
  'src/main.ts': `import data from './data.json'; import dep from 'dep'; import { z } from '../shared/z.ts';
    export const run = () => [data.name, dep, z, __dirname];`,
  'src/data.json': '{"name":"wörld"}',
  'src/ui.tsx': `import './ui.css'; export const ui = <p>é</p>;`,
  'src/ui.css': 'p { color: red; background: url(./dot.svg) }',
  'src/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'src/locales/z.json': '{}',
  'src/locales/ä.json': '{}',
  'src/locales/I.json': '{}',
  'shared/z.ts': 'export const z = 1;',
  'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0"}',
  'node_modules/dep/index.js': `module.exports = require('node:path').sep; // a dependency`,
  'node_modules/react/package.json': '{"name":"react","version":"1.0.0"}',
  'node_modules/react/jsx-runtime.js': 'exports.jsx = (type, props) => ({ type, props });',
};

// A program of its own, so that folder, user mask, environment and Node can differ.
let program: string;
beforeAll(async () => {
  const folder = tree();
  program = join(folder, 'program.cjs');
  await build({
    stdin: {
      contents: `import { bundle } from './src/bundle/bundle.ts';
        process.umask(Number(process.env.MASK ?? 18));
        bundle(JSON.parse(process.argv[2])).then(({ archive, checksum, tarSha256 }) => console.log(JSON.stringify([checksum, tarSha256, archive.length])));`,
      resolveDir: ROOT,
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: program,
    external: ['esbuild'],
    define: { 'import.meta.url': '__url' },
    banner: { js: `const __url = require('node:url').pathToFileURL(__filename).href;` },
    logLevel: 'error',
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
});

interface Where {
  node?: string;
  cwd?: string;
  env?: Record<string, string>;
}

function checksum(
  folder: string,
  options: object,
  { node = process.execPath, cwd = ROOT, env = {} }: Where = {},
): string {
  const bundleOptions = {
    entry: join(folder, 'src/main.ts'),
    ui: join(folder, 'src/ui.tsx'),
    include: ['locales/*'],
    ...options,
  };
  return execFileSync(node, [program, JSON.stringify(bundleOptions)], {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  }).trim();
}

describe.each([
  ['built', {}],
  ['minified, with maps', { minify: true, sourcemap: true }],
])('a bundle that is %s', (_, options) => {
  test('has the same bytes in any folder, time zone, language and file order, and with any user mask and Node', () => {
    const first = tree(APP);
    const expected = checksum(first, options);
    expect(JSON.parse(expected)[0]).toMatch(/^sha256:[0-9a-f]{64}$/);

    const second = writeFiles(join(tree(), 'a much longer/path with spaces & ünicode'), inReverseOrder(APP));
    changeTimesAndModes(second);
    symlinkSync(second, join(second, '../../link'));
    const elsewhere: [string, string, Where][] = [
      ['again', first, {}],
      ['another folder', second, {}],
      ['inside it', second, { cwd: join(second, 'src') }],
      ['through a link', join(second, '../../link'), { cwd: '/' }],
      ['another user mask', first, { env: { MASK: '63' } }],
      ['another language', first, { env: { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', LANGUAGE: 'tr' } }],
      ['another zone', first, { env: { TZ: 'Asia/Kathmandu' } }],
      ['another setting', first, { env: { NODE_ENV: 'production', SOURCE_DATE_EPOCH: '1', FORCE_COLOR: '1' } }],
      ['fewer threads', first, { env: { UV_THREADPOOL_SIZE: '1', GOMAXPROCS: '1', GOGC: '10' } }],
      ...NODES.slice(1).map((node): [string, string, Where] => [node, second, { node }]),
    ];
    const got = elsewhere.map(([name, folder, where]) => [name, checksum(folder, options, where)]);
    expect(got).toEqual(elsewhere.map(([name]) => [name, expected]));
  }, 60_000);
});

test('a packed folder has the same bytes for any order, dates and modes of its files', () => {
  const first = tree(APP);
  const second = writeFiles(join(tree(), 'copy'), inReverseOrder(APP));
  changeTimesAndModes(second);
  const plain = { ui: undefined, include: undefined };
  const expected = checksum(first, { ...plain, entry: first });
  for (const node of NODES) {
    expect(checksum(second, { ...plain, entry: second }, { node, env: { MASK: '63' } })).toBe(expected);
  }
});

test('a bundle of other sources has other bytes', () => {
  const first = checksum(tree(APP), {});
  expect(checksum(tree({ ...APP, 'src/data.json': '{"name":"World"}' }), {})).not.toBe(first);
});

// One app, pinned: a change here changes the checksum of every artifact that is built again. The digest of the
// archive may differ with another zlib (another processor, a later Node); that of the tar may not.
test('the checksum of an example app does not change', () => {
  const [archive, tar] = JSON.parse(checksum(tree(APP), {})) as [string, string];
  expect(tar).toBe('849089e6f20490eb68615bce0a94822574e02e85654c19f0f15eb495144b781e');
  expect(archive).toBe('sha256:730490e8207e88922f558a8c22df66f570aa81ec9e6d616f1467b08d5e9f0839');
});

function inReverseOrder(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).toReversed());
}

/** Other dates and modes on everything. */
function changeTimesAndModes(folder: string): void {
  for (const path of readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))) {
    if (statSync(path).isFile()) chmodSync(path, 0o700);
    utimesSync(path, 1, 2_000_000_000);
  }
}
