import { message } from '../core/text/message.ts';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { safeExcerpt } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { otherNameOnDisk } from '../platform/names.ts';
import { errno, nullIfMissing } from './directory/disk-error.ts';
import { lstat, realpath } from './directory/system.ts';

// Control characters; backslashes separate folders on Windows, and there a colon names a drive or an alternate stream.
const FORBIDDEN = /[\u0000-\u001f\u007f\\:]/;
// Windows treats these as devices, whatever suffix they have.
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i;

/**
 * The segments of a store's path: relative, with forward slashes, never leading out of the root, and with the same
 * meaning on every system.
 * @throws AppregError `path-refused`
 */
export function checkedSegments(path: string): string[] {
  const segments = path.split('/');
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..')
      throw pathRefused(path, 'a path must be relative to the root, without empty parts, “.” and “..”');
    if (FORBIDDEN.test(segment))
      throw pathRefused(path, 'a path must not contain a backslash, colon or control character');
    if (/[. ]$/.test(segment))
      throw pathRefused(path, 'a part of a path must not end in a dot or a space, which Windows removes');
    if (DEVICE.test(segment)) throw pathRefused(path, `“${segment}” is a device name on Windows`);
  }
  return segments;
}

/**
 * The path on disk for a path of the store, with all symbolic links resolved as far as files exist.
 * @param root the store's folder, absolute; it need not exist
 * @throws AppregError `path-refused`, also if a link leads out of the root, or if the folder lists the file under
 * another name (in another case, on a case-insensitive file system); `dangling-link`
 */
export async function pathOnDisk(root: string, path: string): Promise<string> {
  const segments = checkedSegments(path);
  const base = await resolveLinks(resolve(root), path);
  const target = await resolveLinks(join(base, ...segments), path);
  const fromBase = relative(base, target);
  if (fromBase === '..' || fromBase.startsWith(`..${sep}`) || isAbsolute(fromBase))
    throw pathRefused(path, 'a symbolic link points outside the folder');
  const listed = otherNameOnDisk(base, segments);
  if (listed !== null)
    throw new AppregError(
      'path-refused',
      message`The path “${safeExcerpt(path)}” was rejected: the folder contains it as “${safeExcerpt(listed)}”, which hosts treat as a different name.`,
      message`Rename the file (git mv), or use its exact name.`,
      { effect: 'none' },
    );
  return target;
}

/** The real path of the deepest part that exists, and the rest unchanged. */
async function resolveLinks(file: string, path: string): Promise<string> {
  const real = await nullIfMissing(realpath(file)).catch((error: unknown) => {
    // A file in place of a folder: nothing is found; a write will report it.
    if (errno(error) === 'ENOTDIR') return null;
    throw error;
  });
  if (real !== null) return real;
  const stats = await nullIfMissing(lstat(file)).catch(() => null);
  if (stats?.isSymbolicLink()) {
    throw new AppregError(
      'dangling-link',
      message`${path} leads to a broken symbolic link.`,
      message`Remove the link, or create its target.`,
      { effect: 'none' },
    );
  }
  const parent = dirname(file);
  return parent === file ? file : join(await resolveLinks(parent, path), relative(parent, file));
}

function pathRefused(path: string, why: string): AppregError {
  return new AppregError(
    'path-refused',
    message`The path “${safeExcerpt(path)}” was rejected: ${why}.`,
    message`Use a path inside the folder, with forward slashes.`,
    { effect: 'none' },
  );
}
