import { statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderSync } from './make-folder.ts';
import { userCacheFolder } from './user-cache-folder.ts';

/** Variables of Node: coverage is not exact for code that is not compiled. */
const OFF = ['NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE'];

/**
 * Keeps compiled code in the user's cache folder, so that the next process does not compile it again (from Node 22.1 on;
 * Node 20 compiles in each process). Cached code is run, so a folder that other users can write to
 * is not used. `NODE_DISABLE_COMPILE_CACHE` and an empty `APPREG_CACHE_DIR` turn this off, and so does a read-only folder.
 */
export async function keepCompiledCode(env: NodeJS.ProcessEnv): Promise<void> {
  const cache = userCacheFolder(env);
  if (cache === null || OFF.some((name) => env[name] !== undefined)) return;
  const folder = join(cache, 'compiled');
  try {
    makeFolderSync(folder, 0o700);
    if (!isPrivate(folder)) return;
  } catch {
    // Without a cache, code is compiled by each process.
    return;
  }
  // Versions before 22.1 have no such function.
  (await import('node:module')).enableCompileCache?.(folder);
}

function isPrivate(folder: string): boolean {
  if (process.getuid === undefined) return true;
  const { uid, mode } = statSync(folder);
  return uid === process.getuid() && (mode & 0o022) === 0;
}
