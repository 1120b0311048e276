import nodePath from 'node:path';
import { shellWord } from '../../core/text/text.ts';

/**
 * The path of `to` relative to `from`, both absolute, with forward slashes on every system; '' for the same folder.
 * Absolute if a relative path is impossible, as for another drive on Windows.
 * @param path `node:path` of the system that the paths belong to
 */
export function shownPath(from: string, to: string, path: nodePath.PlatformPath = nodePath): string {
  return path.relative(from, to).split(path.sep).join('/');
}

/** A path as one word of a command line. The shells of Windows have no quotes in common but double ones. */
export function quotedPath(path: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return shellWord(path);
  return /^[\w@+=:./\\-]+$/.test(path) ? path : `"${path}"`;
}
