import { message } from '../../core/text/message.ts';
import { spawnSync } from 'node:child_process';
import type { DocumentContent } from '../../core/facts/facts.ts';
import { printable } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import { interrupted, stopSignalOf } from '../../platform/stop-signals.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { contentOf } from './document-content.ts';
import type { Tree } from './documents.ts';

/** A workspace at a git ref, read from the object store; nothing is checked out. */

/** From this number of files on they are requested by id: by path, git reads the parent folders once per file. */
const READ_BY_ID_FROM = 100;

/**
 * @param ref as the user names it; for a branch that has advanced, the merge base with the work tree's branch is used
 * @param root the workspace, somewhere in a git work tree
 */
export function gitTree(ref: string, root: string): Tree {
  const commit = resolveCommit(ref, root);
  const prefix = git(['rev-parse', '--show-prefix'], root).stdout.toString('utf8').replace(/\n$/, '');
  const contents = new Map<string, DocumentContent>();
  return {
    source: ref,
    fetch(paths) {
      const wanted = paths.filter((path) => !contents.has(path) && !/[\n\u0000]/.test(path));
      if (wanted.length === 0) return;
      const ids = wanted.length < READ_BY_ID_FROM ? null : blobIds(`${commit}:${prefix}`, root);
      const input = wanted.map((path) => `${ids?.get(path) ?? `${commit}:${prefix}${path}`}\n`).join('');
      readBatch(git(['cat-file', '--batch'], root, { input }).stdout, wanted, contents);
    },
    read: (path) => contents.get(path) ?? null,
  };
}

/** The ids of all files below a tree; null if the tree does not exist. */
function blobIds(tree: string, root: string): Map<string, string> | null {
  const { status, stdout } = git(['ls-tree', '-r', '-z', '--full-tree', tree], root, { mayFail: true });
  if (status !== 0) return null;
  const ids = new Map<string, string>();
  // `<mode> <type> <id>`, a tab and the path.
  for (const entry of stdout.toString('utf8').split('\0')) {
    const tab = entry.indexOf('\t');
    ids.set(entry.slice(tab + 1), entry.slice(entry.lastIndexOf(' ', tab) + 1, tab));
  }
  return ids;
}

function resolveCommit(ref: string, root: string): string {
  if (ref.startsWith('-')) throw refError(ref, root);
  const found = git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], root, {
    mayFail: true,
  });
  if (found.status !== 0) throw refError(ref, root);
  const commit = found.stdout.toString('utf8').trim();
  const base = git(['merge-base', commit, 'HEAD'], root, { mayFail: true });
  return base.status === 0 ? base.stdout.toString('utf8').trim() : commit;
}

/** The reason why a ref names no commit. */
function refError(ref: string, root: string): AppregError {
  const inside = git(['rev-parse', '--is-inside-work-tree'], root, { mayFail: true });
  const name = printable(ref);
  // A checkout owned by another user, as in a CI container: git says so, and how to allow it.
  if (/dubious ownership/.test(inside.stderr))
    return new AppregError(
      'git-ownership',
      message`git rejects this repository, because its folder belongs to another user.`,
      message`Allow it: git config --global --add safe.directory <folder>`,
    );
  if (inside.status !== 0)
    return new AppregError(
      'baseline-missing',
      message`“${name}” is not a file or folder, and this folder is not in a git repository.`,
      message`Use a folder or a file, or run the command inside the repository.`,
    );
  if (git(['rev-parse', '--verify', '--quiet', 'HEAD'], root, { mayFail: true }).status !== 0)
    return new AppregError(
      'baseline-missing',
      message`“${name}” is not a file or folder, and this git repository has no commits yet.`,
      message`Commit the published files first. Later changes can then be compared with that commit.`,
    );
  const shallow =
    git(['rev-parse', '--is-shallow-repository'], root, { mayFail: true }).stdout.toString('utf8').trim() === 'true';
  if (shallow) {
    const fetch = /[~^:@{]|^[0-9a-f]{4,40}$/.test(ref)
      ? 'git fetch --unshallow'
      : `git fetch --depth=1 origin ${name.replace(/^origin\//, '')}`;
    return new AppregError(
      'git-shallow',
      message`“${name}” is not in this repository, which is a shallow clone and lacks the required history.`,
      message`Fetch it: ${fetch}. In a pipeline, clone the full history (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: "0").`,
    );
  }
  return new AppregError(
    'baseline-missing',
    message`“${name}” is not a file, a folder or a git ref.`,
    message`Check the spelling. For a branch of the remote, use origin/<branch>; if it is missing, run git fetch origin.`,
  );
}

interface GitOptions {
  /** Written to its stdin. */
  input?: string;
  /** True to return a status other than 0 instead of throwing. */
  mayFail?: boolean;
}

/**
 * Programs that a repository names are not started, and the settings of a bare repository that is part of the work tree
 * are not read: both may be untrusted.
 */
const WITHOUT_PROGRAMS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.bareRepository=explicit'].flatMap(
  (setting) => ['-c', setting],
);

/** @throws AppregError `git-missing`; `git-failed` for a status other than 0; `interrupted` after a stop signal */
function git(
  args: readonly string[],
  cwd: string,
  { input, mayFail = false }: GitOptions = {},
): { status: number | null; stdout: Buffer; stderr: string } {
  const run = spawnSync('git', [...WITHOUT_PROGRAMS, ...args], {
    cwd,
    maxBuffer: 4 * 1024 ** 3,
    ...(input === undefined ? {} : { input }),
    env: { ...process.env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
  });
  if (run.error) {
    const missing = systemErrorCode(run.error) === 'ENOENT';
    throw new AppregError(
      'git-missing',
      missing ? message`git is not installed, so a git ref cannot be read.` : message`git failed: ${run.error.message}`,
      message`Install git, or use --against with a folder or a file.`,
      { cause: run.error },
    );
  }
  const endedBy = stopSignalOf(run);
  if (endedBy !== null) throw interrupted(endedBy, { effect: 'none' });
  if (run.status !== 0 && !mayFail)
    throw new AppregError(
      'git-failed',
      message`git ${args[0] ?? ''} failed: ${run.stderr.toString('utf8').trim()}`,
      message`Run it inside the repository, or use --against with a folder or a file.`,
    );
  return { status: run.status, stdout: run.stdout, stderr: run.stderr.toString('utf8') };
}

/** The answers of `git cat-file --batch`: `<oid> <type> <size>` and the bytes, or `<name> missing`. */
function readBatch(out: Buffer, paths: readonly string[], into: Map<string, DocumentContent>): void {
  let at = 0;
  for (const path of paths) {
    const end = out.indexOf(10, at);
    const header = /^[0-9a-f]+ (\w+) (\d+)$/.exec(out.toString('utf8', at, end));
    at = end + 1;
    if (!header) continue;
    const size = Number(header[2]);
    if (header[1] === 'blob') into.set(path, contentOf(out.subarray(at, at + size)));
    at += size + 1;
  }
}
