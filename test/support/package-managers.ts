import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The real package managers, from npm's registry, stored in .cache/package-managers. */

const CACHE = join(import.meta.dirname, '../../.cache/package-managers');

const PROGRAMS = {
  yarn: { name: '@yarnpkg/cli-dist', version: '4.18.1', file: 'bin/yarn.js', isScript: true },
  pnpm: { name: 'pnpm', version: '10.34.8', file: 'bin/pnpm.cjs', isScript: true },
  bun: { name: '@oven/bun-linux-x64-baseline', version: '1.4.4', file: 'bin/bun', isScript: false },
} as const;

/** The program and its first arguments; null if it cannot be installed. */
export function packageManager(manager: keyof typeof PROGRAMS): string[] | null {
  const { name, version, file, isScript } = PROGRAMS[manager];
  if (manager === 'bun' && (process.platform !== 'linux' || process.arch !== 'x64')) return null;
  const folder = join(CACHE, `${manager}-${version}`);
  const program = join(folder, 'node_modules', name, file);
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    const flags = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-fund', '--no-audit', '--silent'];
    spawnSync('npm', ['install', ...flags, `${name}@${version}`], { cwd: folder, timeout: 240_000 });
    if (!existsSync(program)) return null;
    chmodSync(program, 0o755);
  }
  return isScript ? [process.execPath, program] : [program];
}

/** Folders that the package managers share between projects. */
export const MANAGER_ENV: Readonly<Record<string, string>> = {
  YARN_GLOBAL_FOLDER: join(CACHE, 'yarn-global'),
  YARN_ENABLE_TELEMETRY: '0',
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  YARN_ENABLE_SCRIPTS: 'false',
  BUN_INSTALL_CACHE_DIR: join(CACHE, 'bun-cache'),
  npm_config_store_dir: join(CACHE, 'pnpm-store'),
};
