import { message } from '../core/text/message.ts';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AppregError } from '../core/errors.ts';

/**
 * The folder apps/ of a workspace, absolute; null if it is missing.
 * @throws AppregError `not-a-folder` (exit 2)
 */
export function appsFolder(root: string): string | null {
  const path = join(root, 'apps');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isDirectory()) return path;
  throw new AppregError(
    'not-a-folder',
    message`${path} is not a folder.`,
    message`Move or rename it: apps/ is the folder of the apps.`,
    { effect: 'none' },
  );
}
