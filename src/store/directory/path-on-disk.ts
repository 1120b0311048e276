import { resolve, join, relative, sep, isAbsolute, dirname } from 'node:path';
import { otherNameOnDisk } from '../../platform/names.ts';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { nullIfMissing, errno } from './disk-error.ts';
import { realpath, lstat } from './system.ts';
import { checkedSegments, pathRefused } from '../paths.ts';

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
