import { isAppregError } from '../../core/errors/error.ts';
import type { Missing } from '../../core/facts/facts.ts';
import { gitRoot } from '../../platform/git-root.ts';
import { git } from './git.ts';

/** Files that git has, and the work tree has not: of a sparse checkout, or in Git LFS. */

/** Of a file outside of a sparse checkout. */
export const NOT_CHECKED_OUT: Missing = { missing: { code: 'not-checked-out' } };
/** Of a file whose pointer was checked out, and whose content was not fetched. */
export const NOT_FETCHED: Missing = { missing: { code: 'lfs-not-fetched' } };

/** The state of a work tree, as git says it. Git is asked when it is needed. */
export interface Checkout {
  /** True for a file that git does not check out. @param path below the workspace, with forward slashes */
  leavesOut(path: string): boolean;
  /** True for a file that git stores in LFS. */
  isInLfs(path: string): boolean;
}

/** @param root of the workspace */
export function openCheckout(root: string): Checkout {
  let left: ReadonlySet<string> | null = null;
  const inLfs = new Map<string, boolean>();
  return {
    leavesOut: (path) => (left ??= leftOut(root)).has(path),
    isInLfs(path) {
      const known = inLfs.get(path) ?? output(root, ['check-attr', '-z', 'filter', '--', path])[2] === 'lfs';
      inLfs.set(path, known);
      return known;
    },
  };
}

/** The files below the workspace with the bit skip-worktree. */
function leftOut(root: string): Set<string> {
  const listed = output(root, ['ls-files', '-z', '-t', '--', '.']);
  return new Set(listed.flatMap((entry) => (entry.startsWith('S ') ? entry.slice(2) : [])));
}

/** The parts of the output of git; none outside of a repository, and without git. */
function output(root: string, args: readonly string[]): string[] {
  if (gitRoot(root) === null) return [];
  try {
    const { status, stdout } = git(args, root, { mayFail: true });
    return status === 0 ? stdout.toString('utf8').split('\0') : [];
  } catch (error) {
    if (isAppregError(error) && error.code === 'git-missing') return [];
    throw error;
  }
}
