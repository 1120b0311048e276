import { statSync } from 'node:fs';
import { AppregError } from '../../core/errors/error.ts';
import type { LocalState } from '../../core/facts/facts.ts';
import { message } from '../../core/text/message.ts';
import { isLink, whyUnreadable } from '../../platform/regular-file.ts';
import { systemErrorCode } from '../../platform/system-error.ts';

/** State of a path of the workspace without a readable file. */

/** Null for a regular file. Never opens it, since opening a named pipe may wait. @throws AppregError as `stateOfError` */
export function stateAt(path: string): LocalState | null {
  try {
    const stat = statSync(path);
    if (stat.isFile()) return null;
    return stat.isDirectory() ? 'folder' : 'not-a-file';
  } catch (error) {
    return stateOfError(path, error);
  }
}

/**
 * The state that an error code of the system means.
 * @throws AppregError `file-unreadable` for a file that may not be read
 */
export function stateOfError(path: string, error: unknown): LocalState {
  const code = systemErrorCode(error) ?? '';
  if (code === 'ENOENT') return isLink(path) ? 'dangling-link' : 'missing';
  if (code === 'ENOTDIR' || code === 'ENAMETOOLONG') return 'missing';
  if (code === 'ELOOP') return 'link-loop';
  if (code === 'EISDIR') return 'folder';
  if (code === 'ENXIO') return 'not-a-file';
  throw new AppregError(
    'file-unreadable',
    message`${path} ${whyUnreadable(path, error) ?? `cannot be read: ${String(error)}`}.`,
    message`Check the permissions of the file.`,
    { cause: error },
  );
}
