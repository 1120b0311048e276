import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { otherNameOnDisk } from '../platform/names.ts';
import { systemErrorCode } from '../platform/system-error.ts';

// On Windows, a backslash is a path separator, and a colon denotes a drive or an alternate data stream.
const FORBIDDEN = /[\u0000-\u001f\u007f/\\:]/;

/** Device names on Windows, with any suffix. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i;

/**
 * The path of a request target: its segments, percent-decoded once. Null if it cannot be a served file, independent of
 * the disk: dot segments, encoded slashes, control characters, drive letters, streams, names that Windows aliases (a
 * trailing dot or space), empty segments. The target may be in absolute form, as sent by proxies.
 * @param platform of the system with the files; on Windows, device names are refused as well
 */
export function targetSegments(target: string, platform: NodeJS.Platform = process.platform): string[] | null {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  if (!path.startsWith('/')) return null;
  const segments: string[] = [];
  for (const encoded of path.slice(1).split('/')) {
    const segment = decode(encoded);
    if (segment === null || segment === '' || FORBIDDEN.test(segment) || /[. ]$/.test(segment)) return null;
    if (platform === 'win32' && DEVICE.test(segment)) return null;
    segments.push(segment);
  }
  return segments;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // Not UTF-8, or a stray percent sign.
  }
}

const PRIVATE_NAMES = new Set([
  'node_modules',
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
]);
const PRIVATE_SUFFIX = /(?:\.lock|\.tmp|\.temp|\.bak|\.swp|\.part|~)$/;

/**
 * True for names that are never served: hidden files, configuration, dependencies, lock files and temporary files.
 * Compared in lower case, because some file systems ignore case.
 */
export function isPrivate(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    lower.startsWith('.') ||
    lower.startsWith('appreg.config.') ||
    PRIVATE_NAMES.has(lower) ||
    PRIVATE_SUFFIX.test(lower)
  );
}

/** Error codes of the file system that mean: no such file. */
export const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL', 'EISDIR']);

/**
 * The file for the segments: its real path, with links resolved, or null if there is no file that may be served.
 * It must be within `root` (itself a real path), neither the requested path nor the real one may be private, and each
 * folder must list the requested name exactly.
 */
export async function servedFile(
  root: string,
  segments: readonly string[],
  hidden: ReadonlySet<string>,
): Promise<string | null> {
  if (segments.some(isPrivate)) return null;
  let file: string;
  try {
    // The native realpath, which also resolves short names (PROGRA~1).
    file = await realpath(join(root, ...segments));
  } catch (error) {
    if (ABSENT.has(systemErrorCode(error) ?? '')) return null;
    throw error;
  }
  // A case-sensitive host would not find it.
  if (otherNameOnDisk(root, segments) !== null) return null;
  const within = relative(root, file).split(sep);
  if (within[0] === '..' || within.join(sep) === file || hidden.has(file)) return null;
  return within.some((segment) => segment === '' || isPrivate(segment)) ? null : file;
}
