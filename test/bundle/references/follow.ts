import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Bundle, BundleOptions } from '../../../src/bundle/bundle.ts';
import { tree, unpackedBytes, writeFiles } from '../tree.ts';

/** Advice of a build that is followed, and what the app then does where it is installed. */

const run = promisify(execFile);

/** The setting for `include` in a text. */
export function settingIn(text: string): NonNullable<BundleOptions['include']> {
  const [, setting] = /"include": (\[.*?\]) to "bundle"/.exec(text) ?? [];
  expect(setting, text).toBeDefined();
  return JSON.parse(setting!);
}

/** What `run` of app.js returns where the archive is unpacked, alone, in a process of its own. */
export async function result({ archive }: Bundle): Promise<string> {
  const folder = writeFiles(tree(), await unpackedBytes(archive));
  const url = JSON.stringify(pathToFileURL(join(folder, 'app.js')).href);
  const code = `import(${url}).then(async ({ run }) => { console.log(await run()); process.exit(); })`;
  return (await run(process.execPath, ['-e', code], { cwd: tree(), timeout: 60_000 })).stdout.trim();
}
