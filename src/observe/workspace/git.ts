import { message } from '../../core/text/message.ts';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DocumentContent } from '../../core/json/content.ts';
import { printable } from '../../core/text/text.ts';
import { AppregError, isAppregError } from '../../core/errors/error.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { interruptedError, stopSignalOf } from '../../platform/stop-signals.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { contentOf } from '../content/document-content.ts';
import type { Tree } from './documents.ts';

/** A workspace at a git ref, read from the object store; nothing is checked out. */

/** From this number of files on they are requested by id: by path, git reads the parent folders once per file. */
const READ_BY_ID_FROM = 100;

/** The number of commits that are read at a time to find an earlier state of a file. */
export const COMMITS_AT_A_TIME = 50;

/** A commit that files are compared with. Paths are relative to the top of the repository, with forward slashes. */
export interface GitBase {
  /** As the user named it. */
  source: string;
  /** The folder of the workspace: `''`, or with a slash at the end. */
  prefix: string;
  /** The top of the work tree, absolute. */
  top: string;
  /** The id of the commit. */
  commit: string;
  /** The files below a folder of the commit. @param folder as `prefix` */
  tree(folder: string): Tree;
  /** The paths of all files of the commit. */
  files(): string[];
  /** The path that a file had in the commit, if git detects that it was renamed since; null otherwise. */
  renamedFrom(path: string): string | null;
}

/**
 * @param ref as the user names it; for a branch that has advanced, the merge base with the work tree's branch is used
 * @param root the workspace, somewhere in a git work tree
 * @throws AppregError if the ref names no commit, or several
 */
export function gitTree(ref: string, root: string): Tree {
  const base = openGitBase(ref, root);
  return base.tree(base.prefix);
}

/**
 * The commit that a ref names. Parameters and errors are those of `gitTree`.
 * @param isTip true for that commit itself, also if the branch has advanced
 */
export function openGitBase(ref: string, root: string, isTip = false): GitBase {
  const commit = resolveCommit(ref, root, isTip);
  const line = (...args: string[]): string => git(args, root).stdout.toString('utf8').replace(/\n$/, '');
  let renames: Map<string, string> | null = null;
  return {
    source: ref,
    commit,
    prefix: line('rev-parse', '--show-prefix'),
    top: line('rev-parse', '--show-toplevel'),
    tree: (folder) => treeAt(ref, commit, folder, root),
    files: () => [...(blobIds(commit, root)?.keys() ?? [])],
    renamedFrom: (path) => (renames ??= renamesSince(commit, root)).get(path) ?? null,
  };
}

function treeAt(source: string, commit: string, folder: string, root: string): Tree {
  const contents = new Map<string, DocumentContent>();
  const linked = new Set<string>();
  return {
    source,
    fetch(paths) {
      const wanted = paths.filter((path) => !contents.has(path) && !/[\n\u0000]/.test(path));
      if (wanted.length === 0) return;
      const ids = wanted.length < READ_BY_ID_FROM ? null : blobIds(`${commit}:${folder}`, root);
      const names = wanted.map((path) => ids?.get(path) ?? `${commit}:${folder}${path}`);
      for (const [index, found] of readBatch(names, root).entries()) {
        const path = wanted[index]!;
        if (found === 'linked-outside') linked.add(path);
        else if (found !== null) contents.set(path, found);
      }
    },
    read: (path) => contents.get(path) ?? null,
    faultOf(path) {
      if (linked.has(path)) return 'linked-outside';
      return isInSubmodule(commit, folder + path, root) ? 'in-submodule' : null;
    },
    readLfs: (oid) => lfsObject(oid, root),
    earlier: (path, isUsable) => earlierState(commit, folder + path, root, isUsable),
  };
}

/** The ids of all regular files below a tree; null if the tree does not exist. Links are followed by their path. */
function blobIds(tree: string, root: string): Map<string, string> | null {
  const { status, stdout } = git(['ls-tree', '-r', '-z', '--full-tree', tree], root, { mayFail: true });
  if (status !== 0) return null;
  const ids = new Map<string, string>();
  // `<mode> <type> <id>`, a tab and the path.
  for (const entry of stdout.toString('utf8').split('\0')) {
    const tab = entry.indexOf('\t');
    if (entry.startsWith('100')) ids.set(entry.slice(tab + 1), entry.slice(entry.lastIndexOf(' ', tab) + 1, tab));
  }
  return ids;
}

/** Files that can be a document of a registry, or its configuration. */
const DOCUMENT_PATTERNS = ['**/*.json', '**/*.yaml', '**/*.yml', '**/.appregrc'].map((glob) => `:(top,glob)${glob}`);

/** The old paths of files by their new ones, between a commit and the index. */
function renamesSince(commit: string, root: string): Map<string, string> {
  const options = ['--cached', '--find-renames', '--diff-filter=R', '--no-relative', '--no-ext-diff', '--no-textconv'];
  const { status, stdout } = git(
    ['diff', ...options, '--name-status', '-z', commit, '--', ...DOCUMENT_PATTERNS],
    root,
    { mayFail: true },
  );
  const renames = new Map<string, string>();
  if (status !== 0) return renames;
  // `R<similarity>`, the old path and the new one.
  const parts = stdout.toString('utf8').split('\0');
  for (let at = 0; at + 2 < parts.length; at += 3) renames.set(parts[at + 2]!, parts[at + 1]!);
  return renames;
}

/** True for a path below a folder that is another repository. */
function isInSubmodule(commit: string, path: string, root: string): boolean {
  const folders = path.split('/').flatMap((_, index, all) => (index === 0 ? [] : [all.slice(0, index).join('/')]));
  if (folders.length === 0) return false;
  const { stdout } = git(['ls-tree', '-z', '--full-tree', commit, '--', ...folders], root, { mayFail: true });
  return stdout
    .toString('utf8')
    .split('\0')
    .some((entry) => entry.startsWith('160000 '));
}

/** The content of a file in Git LFS, if it was fetched; null otherwise. */
function lfsObject(oid: string, root: string): DocumentContent | null {
  const { stdout } = git(['rev-parse', '--git-common-dir'], root);
  const folder = resolve(root, stdout.toString('utf8').replace(/\n$/, ''), 'lfs/objects');
  const read = readRegularFile(join(folder, oid.slice(0, 2), oid.slice(2, 4), oid));
  return 'failure' in read ? null : contentOf(read.bytes);
}

/** The newest state of a file up to a commit that can be used; null without one, `unknown` if commits are missing. */
function earlierState(
  commit: string,
  path: string,
  root: string,
  isUsable: (content: DocumentContent) => boolean,
): DocumentContent | null | 'unknown' {
  const { stdout } = git(['rev-list', commit, '--', `:(top,literal)${path}`], root);
  const commits = stdout.toString('utf8').split('\n').filter(Boolean);
  for (let at = 0; at < commits.length; at += COMMITS_AT_A_TIME) {
    const names = commits.slice(at, at + COMMITS_AT_A_TIME).map((one) => `${one}:${path}`);
    for (const found of readBatch(names, root))
      if (found !== null && found !== 'linked-outside' && isUsable(found)) return found;
  }
  return isShallow(root) ? 'unknown' : null;
}

/** True for a clone without earlier commits. */
export function isShallow(root: string): boolean {
  const { stdout } = git(['rev-parse', '--is-shallow-repository'], root, { mayFail: true });
  return stdout.toString('utf8').trim() === 'true';
}

function resolveCommit(ref: string, root: string, isTip: boolean): string {
  if (ref.startsWith('-')) throw refError(ref, root);
  const found = git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], root, {
    mayFail: true,
  });
  if (found.status !== 0) throw refError(ref, root);
  refuseAmbiguous(ref, root);
  const commit = found.stdout.toString('utf8').trim();
  if (isTip) return commit;
  const base = git(['merge-base', commit, 'HEAD'], root, { mayFail: true });
  return base.status === 0 ? base.stdout.toString('utf8').trim() : commit;
}

/** Kinds of refs, by the beginning of their full names. */
const REF_KINDS = [
  ['refs/heads/', 'branch'],
  ['refs/tags/', 'tag'],
  ['refs/remotes/', 'remote branch'],
  ['', 'ref'],
] as const;

/** @throws AppregError for a name of several refs, such as a branch and a tag, that are different commits */
function refuseAmbiguous(ref: string, root: string): void {
  if (/^refs\/|[~^:@{*?[\\ ]/.test(ref)) return;
  const names = ['refs/', ...REF_KINDS.flatMap(([start]) => (start === '' ? [] : [start]))].map((start) => start + ref);
  const { stdout } = git(['for-each-ref', '--format=%(refname) %(objectname) %(*objectname)', ...names], root);
  const refs = stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([name]) => name !== undefined && names.includes(name));
  const commits = new Set(refs.map(([, object, peeled]) => peeled || object));
  if (commits.size < 2) return;
  const forms = refs.map(([name = '']) => name);
  throw new AppregError(
    'baseline-ambiguous',
    message`“${printable(ref)}” is ${forms.map((name) => `a ${kindOf(name)}`).join(' and ')}, so it is unclear which of them is meant.`,
    message`Write ${forms.map((name) => `${name} for the ${kindOf(name)}`).join(', or ')}.`,
  );
}

function kindOf(name: string): string {
  return REF_KINDS.find(([start]) => name.startsWith(start))?.[1] ?? 'ref';
}

/**
 * The unambiguous form of a ref, and what it is; null if the name is not one, or if the folder is not in a repository.
 * @param root a folder in the repository
 */
export function fullRef(name: string, root: string): { form: string; kind: string } | null {
  if (name.startsWith('-') || !existsSync(root)) return null;
  const parse = (...args: string[]): string | null => {
    try {
      const { status, stdout } = git(['rev-parse', ...args], root, { mayFail: true });
      return status === 0 ? stdout.toString('utf8').trim() : null;
    } catch (error) {
      // Without git, a name can only be that of a file.
      if (isAppregError(error) && error.code === 'git-missing') return null;
      throw error;
    }
  };
  const commit = parse('--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  if (commit === null) return null;
  const form = parse('--symbolic-full-name', '--end-of-options', name)?.split('\n').at(-1) ?? '';
  return form.startsWith('refs/') ? { form, kind: kindOf(form) } : { form: commit, kind: 'commit' };
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
  if (isShallow(root)) {
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

/**
 * Runs git in a folder.
 * @throws AppregError `git-missing`; `git-failed` for a status other than 0; `interrupted` after a stop signal */
export function git(
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
  if (endedBy !== null) throw interruptedError(endedBy, { effect: 'none' });
  if (run.status !== 0 && !mayFail)
    throw new AppregError(
      'git-failed',
      message`git ${args[0] ?? ''} failed: ${run.stderr.toString('utf8').trim()}`,
      message`Run it inside the repository, or use --against with a folder or a file.`,
    );
  return { status: run.status, stdout: run.stdout, stderr: run.stderr.toString('utf8') };
}

/**
 * Files by their ids, or as `<commit>:<path>`, in that order: null for one that does not exist. Links are followed as far
 * as they stay in the repository.
 */
export function readBatch(names: readonly string[], root: string): (DocumentContent | 'linked-outside' | null)[] {
  const input = names.map((name) => `${name}\n`).join('');
  const out = git(['cat-file', '--batch', '--follow-symlinks'], root, { input }).stdout;
  let at = 0;
  return names.map(() => {
    const end = out.indexOf(10, at);
    const line = out.toString('utf8', at, end);
    at = end + 1;
    // `<oid> <type> <size>`, or the fault of a link and the size of its text; `<name> missing` has no content.
    const [, kind, size] =
      /^(?:[0-9a-f]+ )?(blob|tree|commit|tag|symlink|dangling|loop|notdir) (\d+)$/.exec(line) ?? [];
    if (kind === undefined) return null;
    const content = out.subarray(at, at + Number(size));
    at += content.length + 1;
    if (kind === 'symlink') return 'linked-outside';
    return kind === 'blob' ? contentOf(content) : null;
  });
}
