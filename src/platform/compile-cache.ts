import { statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { makeFolderSync } from './make-folder.ts';
import { userCacheFolder } from './user-cache-folder.ts';

/**
 * Keeps compiled code in the user's cache folder, so that the next process does not compile it again. Requires Node 22.1.
 * Cached code is run, so a folder that other users can write to is not used. `NODE_DISABLE_COMPILE_CACHE` and an empty
 * `APPREG_CACHE_DIR` turn this off, and so does a read-only folder.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv): void {
  const cache = userCacheFolder(env);
  if (cache === null) return;
  const folder = join(cache, 'compiled');
  try {
    makeFolderSync(folder, 0o700);
    if (isPrivate(folder)) enableCompileCache(folder);
  } catch {
    // Without a cache, code is compiled by each process.
  }
}

function isPrivate(folder: string): boolean {
  if (process.getuid === undefined) return true;
  const { uid, mode } = statSync(folder);
  return uid === process.getuid() && (mode & 0o022) === 0;
}
