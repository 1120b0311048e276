import { type SafeText, message } from '../../core/text/message.ts';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { fullRef } from '../workspace/git.ts';
import { whyUnreadable } from '../../platform/regular-file.ts';

/** A folder or file that --against or diff names. */
export interface LocalPath {
  /** Absolute. */
  path: string;
  isFolder: boolean;
}

/**
 * The folder or file with a name; null for a name that can only be that of a git ref.
 * @param where as it was given, and not an http(s) URL
 * @param cwd the folder that relative paths are resolved against
 * @param root a folder of the repository in which git refs are searched (default: `cwd`)
 * @throws AppregError for a path that does not exist or cannot be read, and for the name of a git ref as well
 */
export function localPathOf(where: string, cwd: string, root: string = cwd): LocalPath | null {
  const path = resolve(cwd, where);
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(where)?.[1];
  if (scheme !== undefined)
    throw missing(
      message`“${where}” has the scheme ${scheme.toLowerCase()}:, which is not supported.`,
      message`Give an http: or https: URL, or a path without a scheme.`,
    );
  try {
    const stat = statSync(path);
    const isFolder = stat.isDirectory();
    if (!isPath(where)) refuseRef(where, root, isFolder ? 'folder' : 'file');
    if (isFolder || stat.isFile()) return { path, isFolder };
    throw missing(message`${where} is neither a file nor a folder.`, ADVICE);
  } catch (error) {
    const why = whyUnreadable(path, error);
    if (why === null) throw error;
    if (why.startsWith('does not exist') && !isPath(where)) return null;
    throw missing(
      why === 'does not exist' ? message`There is no file or folder ${path}.` : message`${path} ${why}.`,
      ADVICE,
      error,
    );
  }
}

const ADVICE = message`Check the path. For a state in git, give a branch, tag or commit instead.`;

/** True for a name that git does not allow for a ref, or that a ref rarely has. */
function isPath(where: string): boolean {
  return /^(?:\.{0,2}[/\\]|~|[A-Za-z]:[/\\])|^\.{1,2}$|[/\\]$|[/\\]\.{1,2}[/\\]|\.json$/.test(where);
}

/** @throws AppregError if the name of an existing file or folder is also that of a git ref */
function refuseRef(where: string, root: string, kind: 'file' | 'folder'): void {
  const ref = fullRef(where, root);
  if (ref === null) return;
  throw new AppregError(
    'baseline-ambiguous',
    message`“${where}” is a ${kind} and a ${ref.kind}, so it is unclear which of them is meant.`,
    message`Write ./${where} for the ${kind}, or ${ref.form} for the ${ref.kind}.`,
  );
}

function missing(message: SafeText, hint: SafeText, cause?: unknown): AppregError {
  return new AppregError('baseline-missing', message, hint, { cause });
}
