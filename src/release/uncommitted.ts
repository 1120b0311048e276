import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { message } from '../core/text/message.ts';
import { counted, printable } from '../core/text/text.ts';
import { interruptedError, stopSignalOf } from '../platform/stop-signals.ts';
import type { Listener } from '../workspace/listener.ts';

/** The work tree of a git repository, as far as it differs from the last commit. */
interface WorkTree {
  /** Absolute, with links resolved. */
  top: string;
  /** Relative to the top, with slashes; a submodule or an embedded repository is one path. */
  changed: ReadonlySet<string>;
}

/**
 * Which files are changed or untracked in the git repository of a folder. Outside of a repository, none are; if git
 * cannot be asked, a warning says so.
 * @returns those of the given files, absolute, that are: relative to the top of the repository, sorted
 */
export function uncommittedFiles(root: string, { log }: Pick<Listener, 'log'>): (files: readonly string[]) => string[] {
  const tree = changedFiles(root, (reason) =>
    log(message`warning: it is unknown whether the sources are committed: ${reason}`),
  );
  return (files) => (tree === null ? [] : uncommittedOf(tree, files));
}

/** The number of files that a message names; the rest is counted. */
const MAX_NAMED = 5;

/** The files as messages name them: `a.ts, b.ts and 3 more files are not committed in git`. */
export function describeUncommitted(files: readonly string[]): string {
  const named = files.slice(0, MAX_NAMED).map(printable).join(', ');
  const more = files.length - MAX_NAMED;
  const all = more > 0 ? `${named} and ${counted(more, 'more file')}` : named;
  return `${all} ${files.length === 1 ? 'is' : 'are'} not committed in git`;
}

/**
 * The files of the git repository of a folder that are changed or untracked; ignored ones are left out.
 * @param warn called with the reason if there is a repository, but git cannot be asked
 * @returns null outside of a git repository
 */
function changedFiles(folder: string, warn: (reason: string) => void): WorkTree | null {
  if (!isInRepository(folder)) return null;
  const top = git(folder, ['rev-parse', '--show-toplevel']);
  const status =
    top.text === null
      ? top
      : git(folder, [
          'status',
          '--porcelain=v1',
          '-z',
          '--untracked-files=all',
          '--no-renames',
          '--ignore-submodules=none',
        ]);
  if (top.text === null || status.text === null) {
    const reason = status.error ?? '';
    // A folder named .git does not make a repository, and a bare one has no files.
    if (!/not a git repository|must be run in a work tree/.test(reason)) warn(printable(reason));
    return null;
  }
  const entries = status.text.split('\0').filter((entry) => entry !== '');
  // Two letters for the state, and a space.
  const changed = new Set(entries.map((entry) => entry.slice(3).replace(/\/$/, '')));
  return { top: realpathSync(top.text.replace(/\n$/, '')), changed };
}

/** Those of the files that are changed or untracked, relative to the top of the repository, sorted. */
function uncommittedOf(tree: WorkTree, files: readonly string[]): string[] {
  const found = new Set<string>();
  if (tree.changed.size === 0) return [];
  for (const file of files) {
    if (!existsSync(file)) continue;
    // Of a link, both the link and the file can be changed.
    for (const name of [join(realpathSync(dirname(file)), basename(file)), realpathSync(file)]) {
      const path = relative(tree.top, name).split(sep).join('/');
      if (isChanged(tree, path)) found.add(path);
    }
  }
  return [...found].toSorted();
}

/** True for a changed file, and for one below a changed submodule or an embedded repository. */
function isChanged({ changed }: WorkTree, path: string): boolean {
  for (let at = path; at !== '.' && !at.startsWith('..'); at = dirname(at)) if (changed.has(at)) return true;
  return false;
}

function isInRepository(folder: string): boolean {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true;
    if (at === dirname(at)) return false;
  }
}

/**
 * @returns the output; null with the error if git fails or is missing
 * @throws AppregError `interrupted` after a stop signal
 */
function git(cwd: string, args: readonly string[]): { text: string | null; error: string | null } {
  const { error, status, signal, stdout, stderr } = spawnSync('git', args, {
    cwd,
    maxBuffer: 1024 ** 3,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
  });
  if (error !== undefined) return { text: null, error: `git cannot be run: ${error.message}` };
  const endedBy = stopSignalOf({ status, signal });
  if (endedBy !== null) throw interruptedError(endedBy, { effect: 'none' });
  return status === 0 ? { text: stdout, error: null } : { text: null, error: stderr.trim() };
}
