// Helpers of test/support and appreg itself, built from the current sources for a script.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { build } from '../scripts/build.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param names of files in test/support @returns what they export, the program (dist/node/main.cjs) with failpoints, and `close` */
export async function openSupport(...names) {
  const scratch = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
  const file = join(scratch, 'support.mjs');
  await build({ types: false, folder: scratch, failpoints: true });
  await esbuild.build({
    stdin: {
      contents: names.map((name) => `export * from './test/support/${name}.ts';`).join('\n'),
      resolveDir: root,
      loader: 'ts',
    },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return {
    support: await import(pathToFileURL(file).href),
    program: join(scratch, 'dist/node/main.cjs'),
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
}
