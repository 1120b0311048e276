import nodePath from 'node:path';

/**
 * The path of `to` relative to `from`, both absolute, with forward slashes on every system; '' for the same folder.
 * Absolute if a relative path is impossible, as for another drive on Windows.
 * @param path `node:path` of the system that the paths belong to
 */
export function shownPath(from: string, to: string, path: nodePath.PlatformPath = nodePath): string {
  return path.relative(from, to).split(path.sep).join('/');
}

/** A path as one word of a command line: in double quotes if it has a space, which all shells support. */
export function quotedPath(path: string): string {
  return /[\s&()]/.test(path) ? `"${path}"` : path;
}
