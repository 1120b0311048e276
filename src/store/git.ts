import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { printable, redact } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';
import { NOTHING_CHANGED } from './disk-trouble.ts';
import { type GitRun, runGit, saidBy } from './git-process.ts';
import { segmentsOf } from './paths.ts';
import type { Store, Stored } from './store.ts';

export interface GitPlace {
  /** Name of a remote of the repository around `root`, or a URL that git understands. */
  remote: string;
  branch: string;
  /** Folder that a remote's name and a relative path are looked up from. */
  root: string;
}

/** A write that others were faster than is made anew on top of theirs, so often. */
const ATTEMPTS = 60;

/**
 * A registry in a branch of a git remote, as hosts of static pages publish it. Every write is one commit on top of the
 * branch as it is now, and a push that the remote takes only if the branch has not moved: then it is read again, the
 * condition is checked again, and the commit is made anew. Nothing is checked out, and the user's own repository is not
 * touched; only the files that are read are fetched, where the remote can do that.
 */
export function openGit({ remote, branch, root }: GitPlace): Store {
  let clone: Promise<string> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: git locks its own files, and does not wait. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  }

  const git = async (
    args: readonly string[],
    more: { input?: Uint8Array | string; env?: Record<string, string> } = {},
  ) => runGit(args, { cwd: await (clone ??= makeClone(remote, root)), ...more });

  /** The commit that the branch is at; null where there is no such branch yet. */
  async function tip(): Promise<string | null> {
    const run = await git([
      'fetch',
      '--quiet',
      '--no-tags',
      '--depth=1',
      '--filter=blob:none',
      'origin',
      `refs/heads/${branch}`,
    ]);
    if (run.status === 0) return text(await must(git(['rev-parse', 'FETCH_HEAD'])));
    if (/couldn't find remote ref/i.test(run.stderr)) return null;
    throw unreachable(remote, run);
  }

  /** The id of a file's content in a commit; null where nothing is. */
  async function blobAt(commit: string | null, path: string): Promise<string | null> {
    if (commit === null) return null;
    const listed = text(await must(git(['ls-tree', '-z', commit, '--', `:(literal)${path}`])));
    const found = /^(\d+) (\w+) ([0-9a-f]+)\t/.exec(listed);
    if (!found) return null;
    if (found[2] === 'blob' && found[1] !== '120000') return found[3]!;
    throw new Trouble(
      'not-a-file',
      `${printable(path)} is not a regular file in the branch ${printable(branch)}. ${NOTHING_CHANGED}`,
      'Name a file.',
    );
  }

  async function read(path: string): Promise<Stored | null> {
    segmentsOf(path);
    const blob = await blobAt(await tip(), path);
    if (blob === null) return null;
    return { bytes: (await must(git(['cat-file', 'blob', blob]))).stdout, token: blob };
  }

  /** Writes if the file is in the state that is asked for; false when it is not. */
  async function write(path: string, bytes: Uint8Array, expected: string | null): Promise<boolean> {
    segmentsOf(path);
    const blob = text(await must(git(['hash-object', '-w', '--no-filters', '--stdin'], { input: bytes })));
    for (let attempt = 1; ; attempt++) {
      const parent = await tip();
      if ((await blobAt(parent, path)) !== expected) return false;
      const commit = await commitOn(parent, path, blob, expected === null ? 'Add' : 'Update');
      const push = await git(['push', '--quiet', 'origin', `${commit}:refs/heads/${branch}`]);
      if (push.status === 0) return true;
      if (!isBeaten(push)) throw refusedBy(remote, branch, push);
      if (attempt === ATTEMPTS) throw contended(branch);
      await wait(Math.random() * Math.min(2000, 50 * 2 ** attempt));
    }
  }

  async function commitOn(parent: string | null, path: string, blob: string, verb: string): Promise<string> {
    const index = join(await clone!, `index-${randomUUID()}`);
    const env = { GIT_INDEX_FILE: index };
    try {
      await must(git(parent === null ? ['read-tree', '--empty'] : ['read-tree', parent], { env }));
      await must(
        git(['update-index', '-z', '--add', '--replace', '--index-info'], { env, input: `100644 ${blob}\t${path}\0` }),
      );
      // The other files' contents were never fetched.
      const tree = text(await must(git(['write-tree', '--missing-ok'], { env })));
      const parents = parent === null ? [] : ['-p', parent];
      // Two who write the same in the same second would make the same commit, and both believe that theirs came first.
      const message = `${verb} ${path}\n\nAppreg-Write: ${randomUUID()}`;
      return text(await must(git(['commit-tree', tree, ...parents, '-m', message], { env: await author() })));
    } finally {
      await rm(index, { force: true });
    }
  }

  /** Machines of CI often have no name; git refuses to commit without one. */
  async function author(): Promise<Record<string, string>> {
    const known = await runGit(['var', 'GIT_COMMITTER_IDENT'], { cwd: root });
    if (known.status === 0) return nameOf(text(known));
    const name = { NAME: 'appreg', EMAIL: 'appreg@localhost' };
    return Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) =>
        Object.entries(name).map(([key, value]) => [`GIT_${who}_${key}`, value]),
      ),
    );
  }

  return {
    name: `the branch ${branch} of ${redact(remote)}`,
    read: (path) => inTurn(() => read(path)),
    create: async (path, bytes) => ((await inTurn(() => write(path, bytes, null))) ? 'created' : 'exists'),
    replace: async (path, bytes, token) => ((await inTurn(() => write(path, bytes, token))) ? 'replaced' : 'changed'),
  };
}

/** A bare clone without any content yet, gone when the program ends. */
async function makeClone(remote: string, root: string): Promise<string> {
  const url = await urlOf(remote, root);
  const folder = await mkdtemp(join(tmpdir(), 'appreg-git-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: string[]): Promise<GitRun> => must(runGit(args, { cwd: folder }));
  await git('init', '--quiet', '--bare');
  await git('remote', 'add', 'origin', url);
  // What is not fetched now may be fetched when it is read.
  await git('config', 'remote.origin.promisor', 'true');
  await git('config', 'gc.auto', '0');
  return folder;
}

/** A remote by name is looked up where the workspace is; its push address is the one that takes what is written. */
async function urlOf(remote: string, root: string): Promise<string> {
  if (remote.startsWith('-')) throw unusable(remote);
  const named = await runGit(['remote', 'get-url', '--push', remote], { cwd: root });
  if (named.status === 0) return text(named);
  if (/^[\w.-]+$/.test(remote)) throw unusable(remote);
  return /^(\.|\/)/.test(remote) ? resolve(root, remote) : remote;
}

async function must(run: Promise<GitRun>): Promise<GitRun> {
  const done = await run;
  if (done.status === 0) return done;
  throw new Trouble(
    'git-failed',
    `git failed: ${saidBy(done)} ${NOTHING_CHANGED}`,
    'Run it again; see what git says in that repository.',
  );
}

function text({ stdout }: GitRun): string {
  return stdout.toString('utf8').replace(/\n$/, '');
}

/** `Name <mail> seconds zone`, as variables that commit-tree takes for both. */
function nameOf(ident: string): Record<string, string> {
  const found = /^(.*) <(.*)> \d+ [+-]\d+$/.exec(ident);
  if (!found) return {};
  return {
    GIT_AUTHOR_NAME: found[1]!,
    GIT_AUTHOR_EMAIL: found[2]!,
    GIT_COMMITTER_NAME: found[1]!,
    GIT_COMMITTER_EMAIL: found[2]!,
  };
}

/** The branch moved while the commit was made: somebody else was faster. */
function isBeaten({ stderr }: GitRun): boolean {
  return /\[rejected\]|non-fast-forward|fetch first|stale info|cannot lock ref|failed to update ref|reference already exists|incorrect old value/i.test(
    stderr,
  );
}

function unusable(remote: string): Trouble {
  return new Trouble(
    'git-remote',
    `There is no git remote “${printable(remote)}” here.`,
    'Set "remote" of the store in the configuration to the name of a remote (git remote -v), or to its URL.',
  );
}

function unreachable(remote: string, run: GitRun): Trouble {
  return new Trouble(
    'git-unreachable',
    `The git remote ${printable(redact(remote))} cannot be read: ${saidBy(run)} ${NOTHING_CHANGED}`,
    'Check its address, and that git itself may read it here: git ls-remote <url>',
  );
}

function refusedBy(remote: string, branch: string, run: GitRun): Trouble {
  return new Trouble(
    'git-refused',
    `The git remote ${printable(redact(remote))} does not take a commit for the branch ${printable(branch)}: ${saidBy(run)} ${NOTHING_CHANGED}`,
    'Check that this user or token may push there, and that no rule protects the branch.',
  );
}

function contended(branch: string): Trouble {
  return new Trouble(
    'contended',
    `The branch ${printable(branch)} was changed by others ${ATTEMPTS} times while a commit was made. ${NOTHING_CHANGED}`,
    'Run the same command again when less is going on.',
  );
}
