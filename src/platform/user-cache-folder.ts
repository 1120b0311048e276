import { isAbsolute, join } from 'node:path';
import { homeFolder } from './home-folder.ts';

/**
 * The user's cache folder by the conventions of the system; `APPREG_CACHE_DIR` overrides it.
 * @returns an absolute path; null if there is none, or if `APPREG_CACHE_DIR` is empty
 */
export function userCacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string | null {
  const named = env['APPREG_CACHE_DIR'];
  if (named !== undefined) return isAbsolute(named) ? named : null;
  const xdg = env['XDG_CACHE_HOME'];
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'];
    return local !== undefined && isAbsolute(local) ? join(local, 'appreg', 'cache') : null;
  }
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'appreg');
  const home = env['HOME'];
  if (home === undefined || !isAbsolute(home) || home !== homeFolder()) return null;
  return platform === 'darwin' ? join(home, 'Library', 'Caches', 'appreg') : join(home, '.cache', 'appreg');
}
