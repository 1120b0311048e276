import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** The home folder of all tests of a run: temporary, so that no test reads or leaves anything in that of the user. */

declare module 'vitest' {
  export interface ProvidedContext {
    homeFolder: string;
  }
}

/** Folders and settings of the user that take the place of the home folder. */
const OTHERS = [
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'APPREG_CA_DIR',
  'APPREG_CACHE_DIR',
];

/** Runs in the process of vitest before it starts others, once for each project with tests. */
export function setup({ vitest }: TestProject): (() => void) | undefined {
  const run = vitest.getRootProject();
  if ('homeFolder' in run.getProvidedContext()) return undefined;
  const { env } = process;
  // npm's registry and its cache are those of the machine.
  env['npm_config_userconfig'] ??= join(homedir(), '.npmrc');
  env['npm_config_cache'] ??= join(homedir(), '.npm');
  const home = mkdtempSync(join(realpathSync.native(tmpdir()), 'appreg-test-home-'));
  for (const name of ['HOME', 'USERPROFILE']) env[name] = home;
  for (const name of OTHERS) delete env[name];
  run.provide('homeFolder', home);
  return () => rmSync(home, { recursive: true, force: true });
}
