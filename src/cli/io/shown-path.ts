import nodePath from 'node:path';

/**
 * The path of `to` relative to `from`, both absolute, with forward slashes on every system; '' for the same folder. An
 * absolute path where there is no relative one, as on another drive of Windows.
 * @param path `node:path` of the system whose paths these are
 */
export function shownPath(from: string, to: string, path: nodePath.PlatformPath = nodePath): string {
  return path.relative(from, to).split(path.sep).join('/');
}

/** A path as one word of a command line: in double quotes where it has a space, which every shell reads alike. */
export function quoted(path: string): string {
  return /[\s&()]/.test(path) ? `"${path}"` : path;
}
