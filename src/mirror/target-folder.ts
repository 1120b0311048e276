import { message } from '../core/text/message.ts';
import { readdir, stat } from 'node:fs/promises';
import { AppregError } from '../core/errors.ts';
import { diskError, nullIfMissing } from '../store/directory/disk-error.ts';
import { INDEX } from './index-file.ts';

/** The configuration of a workspace, in any format. */
const CONFIG = /^appreg\.config\.\w+$/;

/**
 * Checks that a folder is missing, contains an earlier mirror, or contains no registry.
 * @param manifest the file name of the manifest in the mirror
 * @throws AppregError `not-a-folder` (exit 2), or `mirror-folder-occupied` (exit 1)
 */
export async function checkFolder(root: string, manifest: string): Promise<void> {
  const names = await namesIn(root);
  if (names === null || names.includes(INDEX)) return;
  const found = names.find((name) => name === manifest || CONFIG.test(name));
  if (found === undefined) return;
  throw new AppregError(
    'mirror-folder-occupied',
    message`${root} contains a registry that was not made by appreg mirror: ${found} exists.`,
    message`Choose an empty folder.`,
    { effect: 'none' },
  );
}

/** The files and folders in a folder; null if it does not exist. */
async function namesIn(root: string): Promise<string[] | null> {
  try {
    const stats = await nullIfMissing(stat(root));
    if (stats === null) return null;
    if (stats.isDirectory()) return await readdir(root);
  } catch (error) {
    throw diskError(error, root, null);
  }
  throw new AppregError('not-a-folder', message`${root} is not a folder.`, message`Choose another folder.`, {
    effect: 'none',
  });
}
