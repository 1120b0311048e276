import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { tree, writeFiles } from './tree.ts';

/** An app, and a program that bundles it in a process of its own. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const APP: Record<string, string> = {
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
  'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0","license":"MIT"}',
  'node_modules/dep/LICENSE': 'MIT License\r\n\r\nCopyright (c) Dep\r\n',
  'node_modules/dep/index.js': `module.exports = require('node:path').sep; // a dependency`,
  'node_modules/react/package.json': '{"name":"react","version":"1.0.0"}',
  'node_modules/react/jsx-runtime.js': 'exports.jsx = (type, props) => ({ type, props });',
};

// A program of its own, so that folder, user mask, environment and Node can differ.
let program: string;
/** Builds the program; for `beforeAll`. */
export async function buildBundler(): Promise<void> {
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
}

export interface Where {
  node?: string;
  cwd?: string;
  env?: Record<string, string>;
}

/** The digests of a bundle of the app in a folder, as JSON: of the archive and of the tar in it, then its size. */
export function checksum(
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

/** A copy of the app elsewhere: its files are written in reverse order, with other dates and modes. */
export function otherCopy(): string {
  const copy = writeFiles(join(tree(), 'a much longer/path with spaces & ünicode'), inReverseOrder(APP));
  changeTimesAndModes(copy);
  return copy;
}

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
