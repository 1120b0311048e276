import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildInto } from './built.ts';

/** The real package managers, from npm's registry, stored in .cache/package-managers. */

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, '.cache/package-managers');

const PROGRAMS = {
  yarn: { name: '@yarnpkg/cli-dist', version: '4.18.1', file: 'bin/yarn.js', isScript: true },
  'yarn classic': { name: 'yarn', version: '1.22.22', file: 'bin/yarn.js', isScript: true },
  pnpm: { name: 'pnpm', version: '12.21.0', file: 'bin/pnpm.mjs', isScript: true },
  'npm 10': { name: 'npm', version: '10.9.9', file: 'bin/npm-cli.js', isScript: true },
  'npm 12': { name: 'npm', version: '12.2.2', file: 'bin/npm-cli.js', isScript: true },
  bun: { name: '@oven/bun-linux-x64-baseline', version: '1.4.4', file: 'bin/bun', isScript: false },
} as const;

export type PackageManager = keyof typeof PROGRAMS;

/** The program and its first arguments; null if it cannot be installed. */
export function packageManager(manager: PackageManager): string[] | null {
  const { name, version, file, isScript } = PROGRAMS[manager];
  if (manager === 'bun' && (process.platform !== 'linux' || process.arch !== 'x64')) return null;
  const folder = join(CACHE, `${manager.replace(' ', '-')}-${version}`);
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

/** Folders that the package managers share between projects; all else is as by default. */
export const MANAGER_ENV: Readonly<Record<string, string>> = {
  YARN_GLOBAL_FOLDER: join(CACHE, 'yarn-global'),
  YARN_CACHE_FOLDER: join(CACHE, 'yarn-cache'),
  YARN_ENABLE_TELEMETRY: '0',
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  BUN_INSTALL_CACHE_DIR: join(CACHE, 'bun-cache'),
  npm_config_store_dir: join(CACHE, 'pnpm-store'),
};

/** The tarball of the tool that `npm pack` makes of the sources. @returns its path */
export async function packInto(folder: string): Promise<string> {
  return packed(await stage(folder), folder);
}

/** The tarballs of the tool, the service and the kit, by the names of the packages. */
export async function packAllInto(folder: string): Promise<Record<string, string>> {
  const staged = await stage(folder);
  const names = ['appreg-service', 'appreg-conformance'];
  const others = names.map((name) => [name, packed(join(staged, 'node_modules', name), folder)]);
  return { appreg: packed(staged, folder), ...Object.fromEntries(others) };
}

/** A build with the files that are published. */
async function stage(folder: string): Promise<string> {
  const staged = join(folder, 'staged');
  mkdirSync(staged, { recursive: true });
  await buildInto(staged);
  for (const name of ['package.json', 'bin', 'schemas'])
    cpSync(join(ROOT, name), join(staged, name), { recursive: true });
  return staged;
}

function packed(from: string, to: string): string {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', to];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: from, encoding: 'utf8' }));
  return join(to, filename);
}
