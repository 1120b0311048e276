import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemErrorCode } from '../../src/platform/system-error.ts';

/** Builds of the program for tests. Test files share them: each state of the sources is built once. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, '.cache/builds');
/** Input of a build. */
const SOURCES = [
  'src',
  'service/src',
  'service/package.json',
  'conformance',
  'schemas',
  'scripts',
  'package.json',
  'package-lock.json',
];
/** A build takes a few seconds; a lock that is older belongs to a test run that was killed. */
const LOCK_LIFETIME_MS = 60_000;
/** The number of builds that are stored. */
const MAX_BUILDS = 6;

/**
 * Builds the packages into a folder, without types: `dist`, and the other packages in `node_modules`.
 * @param options.failpoints true for tests that interrupt writes (src/store/failpoint.ts)
 */
export async function buildInto(folder: string, { failpoints = false } = {}): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const shared = join(CACHE, `${sourceDigest()}${failpoints ? '-failpoints' : ''}`);
  while (!existsSync(shared) && !(await buildOnce(shared, failpoints))) await pause(100);
  cpSync(shared, folder, { recursive: true, verbatimSymlinks: true });
}

/** @returns false if another process builds the same */
async function buildOnce(shared: string, failpoints: boolean): Promise<boolean> {
  const lock = `${shared}.lock`;
  try {
    mkdirSync(lock);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > LOCK_LIFETIME_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
  try {
    if (existsSync(shared)) return true;
    removeOldBuilds();
    const part = join(CACHE, `${randomUUID()}.part`);
    // It loads a compiler of TypeScript, which takes a second.
    // @ts-expect-error a script without types
    const { build } = await import('../../scripts/build.mjs');
    mkdirSync(part);
    await build({ types: false, folder: part, failpoints });
    renameSync(part, shared);
    return true;
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Equal for equal sources. */
function sourceDigest(): string {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const path = join(ROOT, source);
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [path];
    for (const file of files) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 32);
}

function removeOldBuilds(): void {
  const builds = readdirSync(CACHE)
    .map((name) => join(CACHE, name))
    .map((path) => ({ path, changed: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .filter(({ path }) => !path.endsWith('.lock'))
    .sort((a, b) => b.changed - a.changed);
  for (const { path } of builds.slice(MAX_BUILDS)) rmSync(path, { recursive: true, force: true });
}
