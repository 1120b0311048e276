import nodePath from 'node:path';

/**
 * A path for messages: relative to the working folder, with forward slashes; absolute outside of that folder.
 * @param file absolute
 * @param cwd absolute
 * @param path `node:path` of the system that the paths belong to
 */
export function shownPath(file: string, cwd: string, path: nodePath.PlatformPath = nodePath): string {
  const from = path.relative(cwd, file);
  return from.startsWith('..') || path.isAbsolute(from) ? file : from.split(path.sep).join('/');
}
