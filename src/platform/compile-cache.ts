import { statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderSync } from './make-folder.ts';
import { userCacheFolder } from './user-cache-folder.ts';

/** Variables of Node: coverage is not exact for code that is not compiled. */
const OFF = ['NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE'];

/**
 * Keeps compiled code in the user's cache folder, so that the next process does not compile it again. From version 22.1,
 * Node does so itself; `code-file.ts` does it for Node 20. Cached code is run, so a folder that other users can write to
 * is not used. `NODE_DISABLE_COMPILE_CACHE` and an empty `APPREG_CACHE_DIR` turn this off, and so does a read-only folder.
 * @param words the command line
 */
export async function keepCompiledCode(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<void> {
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
  if (process.version.startsWith('v20.')) (await import('./code-file.ts')).keepCodeInFile(folder, words);
  // Versions 21 and 22.0 have no such function.
  else (await import('node:module')).enableCompileCache?.(folder);
}

function isPrivate(folder: string): boolean {
  if (process.getuid === undefined) return true;
  const { uid, mode } = statSync(folder);
  return uid === process.getuid() && (mode & 0o022) === 0;
}
