import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { otherNameOnDisk } from '../platform/names.ts';

// Backslashes separate folders on Windows; a colon there names a drive or an alternate stream.
const FORBIDDEN = /[\u0000-\u001f\u007f/\\:]/;

/** Names of devices on Windows, whatever suffix they have. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i;

/**
 * The path that a request target asks for: its segments, percent-decoded once. Null when it can name no file that is
 * served, whatever lies on disk: dot segments, encoded slashes, control characters, drive letters, streams, names that
 * Windows takes for others (a final dot or space), empty segments. A target may be in absolute form, as proxies send it.
 * @param platform of the system that the files are on; on Windows, names of devices are refused as well
 */
export function segmentsOf(target: string, platform: NodeJS.Platform = process.platform): string[] | null {
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
    return null; // Not UTF-8, or a lone percent sign: no name that we would have.
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
 * True for names that are the workspace's own business and never served: hidden files, configuration, dependencies,
 * lock files and temporary ones. Compared in lower case, because some file systems do not tell the difference.
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

/** Reasons of the file system that mean: there is nothing of that name. */
export const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL', 'EISDIR']);

/**
 * The file that the segments lead to: its real path, links resolved, or null when there is none that may be served.
 * It must lie within `root` (itself a real path), neither the way asked nor the real one may be private, and each folder
 * must list the name that was asked for, character for character.
 */
export async function locate(
  root: string,
  segments: readonly string[],
  hidden: ReadonlySet<string>,
): Promise<string | null> {
  if (segments.some(isPrivate)) return null;
  let file: string;
  try {
    // The system's own realpath: it also undoes short names (PROGRA~1).
    file = await realpath(join(root, ...segments));
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  // A host that tells case would not find it.
  if (otherNameOnDisk(root, segments) !== null) return null;
  const within = relative(root, file).split(sep);
  if (within[0] === '..' || within.join(sep) === file || hidden.has(file)) return null;
  return within.some((segment) => segment === '' || isPrivate(segment)) ? null : file;
}
