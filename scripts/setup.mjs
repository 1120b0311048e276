// Runs `npm ci` if the packages of the lock file are not installed. Scripts that need them call this first.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installed = join(root, 'node_modules/.package-lock.json');
const lock = join(root, 'package-lock.json');

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  console.error('Installing the packages of package-lock.json (npm ci); this takes about a minute.');
  // Not its summary, which only counts packages; warnings and errors are shown. npm is a batch file on Windows, which
  // only a shell runs.
  const { status } = spawnSync('npm ci', { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: true });
  process.exitCode = status ?? 1;
}
