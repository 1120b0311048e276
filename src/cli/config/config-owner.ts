import { message } from '../../core/text/message.ts';
import { lstatSync, statSync } from 'node:fs';
import { AppregError } from '../../core/errors.ts';

/** Whose files may decide how appreg runs: the same users as for git's safe.directory. */

/** The user who runs the command, and for root with sudo also the one who called it; null on Windows. */
function trustedUsers(): readonly number[] | null {
  const user = process.geteuid?.();
  if (user === undefined) return null;
  const caller = Number(process.env['SUDO_UID'] || Number.NaN);
  return user === 0 && Number.isSafeInteger(caller) ? [user, caller] : [user];
}

export function isOwn(uid: number): boolean {
  return trustedUsers()?.includes(uid) ?? true;
}

/**
 * Throws AppregError for a file of another user. A path that cannot be read is left to its reader.
 * @param options.root true if a file of root is accepted
 */
export function refuseForeignOwner(path: string, options: { root: boolean }): void {
  const owner = owners(path).find((uid) => !isOwn(uid) && !(options.root && uid === 0));
  if (owner === undefined) return;
  throw new AppregError(
    'config-owner',
    message`${path} belongs to another user (uid ${owner}), so it was not used.`,
    message`If you trust it, name it: --config ${path}`,
  );
}

/** The owners of a file, and of the link to it. */
function owners(path: string): number[] {
  try {
    return [lstatSync(path).uid, statSync(path).uid];
  } catch {
    return [];
  }
}
