import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildInto } from './built.ts';

/** The GitHub Action in the layout of a release. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Copies the files of the action into a folder, with a build of the program. */
export async function buildAction(folder: string): Promise<void> {
  for (const name of ['action.yml', 'action', 'bin', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  await buildInto(folder);
}
