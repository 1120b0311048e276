import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { printable, redact } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import type { Digest } from '../bytes.ts';
import { failpoint } from '../failpoint.ts';
import { type Clone, fullDisk, type GitPlace, makeClone, must, text } from './clone.ts';
import { blobDigest, blobsAt, type Change, checkFolders, commitOn, contentsOf, type Git } from './objects.ts';
import { interrupted, stopIfInterrupted, stopping, stopRequested } from '../interrupt.ts';
import { type GitRun, isPassing, runGit, saidBy } from './process.ts';
import { segmentsOf } from '../paths.ts';
import type { BatchStore, Stored, Write } from '../store.ts';

/** Attempts of a write that lost a race: each is built on top of the winner's commit. */
const ATTEMPTS = 200;
/** Number of times that the remote may report a lost race although the branch did not move. */
const STUCK = 8;
/** Number of times that the connection to the remote may fail. */
const PATIENCE = 5;
/** Commits that are searched for one of ours. */
const DEPTH = 200;
/** Larger files, in bytes, are requested each time. */
const REMEMBERED = 1_000_000;

/**
 * A registry in a branch of a git remote, as hosts of static pages publish it. All writes of a batch are one commit on
 * top of the current branch, and a push that the remote accepts only if the branch has not moved: otherwise it is read
 * again, the condition is checked again, and the commit is created again. After a push without a response, the branch
 * is searched for its commit. Nothing is checked out, and the user's own repository is not touched; only the files that
 * are read are fetched, if the remote supports it.
 */
export function openGit(place: GitPlace): BatchStore {
  const { remote, branch, root } = place;
  let clone: Promise<Clone> | null = null;
  let ident: Promise<Record<string, string>> | null = null;
  const documents = new Map<string, Buffer>();
  let last: Promise<unknown> = Promise.resolve();
  /** The last known commit of the branch; undefined before the first read. */
  let latest: string | null | undefined;

  /** Sequentially: git locks its own files, and does not wait. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  }

  const git: Git = async (args, more = {}) => {
    const { folder, env } = await (clone ??= makeClone(place));
    return runGit(args, { ...more, cwd: folder, env: { ...env, ...more.env } });
  };

  /** For idempotent commands. */
  const patiently: Git = async (args, more) => {
    for (let attempt = 1; ; attempt++) {
      const run = await git(args, more);
      if (run.status === 0 || attempt === PATIENCE || !isPassing(run)) return run;
      await pause(attempt);
    }
  };

  /** The branch's current commit; null if the branch does not exist yet. */
  async function tip(depth = 1): Promise<string | null> {
    if (latest && depth === 1 && (await isStill(latest))) return latest;
    const how = ['--quiet', '--no-tags', `--depth=${depth}`, '--filter=blob:none'];
    const run = await patiently(['fetch', ...how, 'origin', `refs/heads/${branch}`]);
    if (run.status === 0)
      return (latest = (await readFile(join((await clone!).folder, 'FETCH_HEAD'), 'utf8')).replace(/\s[^]*$/, ''));
    if (/couldn't find remote ref/i.test(run.stderr)) return (latest = null);
    throw fullDisk(run) ?? unreachable(remote, run);
  }

  /** Checked without fetching anything; false also if unknown. */
  async function isStill(commit: string): Promise<boolean> {
    const listed = await git(['ls-remote', '--quiet', 'origin', `refs/heads/${branch}`]);
    return listed.status === 0 && text(listed) === `${commit}\trefs/heads/${branch}`;
  }

  async function read(paths: readonly string[]): Promise<Map<string, Stored>> {
    for (const path of paths) segmentsOf(path);
    const blobs = await blobsAt(patiently, await tip(), paths, branch);
    const found = new Map([...blobs].map(([path, blob]) => [path, { blob, bytes: documents.get(blob) }]));
    const unknown = new Set([...found.values()].filter(({ bytes }) => !bytes).map(({ blob }) => blob));
    const contents = unknown.size === 0 ? documents : await contentsOf(patiently, [...unknown]);
    const files = new Map<string, Stored>();
    for (const [path, { blob, bytes = contents.get(blob)! }] of found) {
      // A publisher reads the same documents several times.
      if (bytes.length <= REMEMBERED) documents.set(blob, bytes);
      files.set(path, { bytes: Buffer.from(bytes), token: blob });
    }
    return files;
  }

  async function digest(path: string): Promise<Digest | null> {
    segmentsOf(path);
    const blob = (await blobsAt(patiently, await tip(), [path], branch)).get(path);
    return blob === undefined ? null : blobDigest(git, blob);
  }

  /** Writes if the files are in the required states; false if one is not. */
  async function write(writes: readonly Write[], why?: string): Promise<boolean> {
    const paths = writes.map(({ path }) => path);
    for (const path of paths) segmentsOf(path);
    const changes: Change[] = [];
    for (const { path, bytes, token } of writes) {
      const blob = text(await must(git(['hash-object', '-w', '--no-filters', '--stdin'], { input: bytes })));
      changes.push({ path, blob, isNew: token === null });
    }
    /** Commits that were sent without confirmation, and may have been accepted. */
    const sent: string[] = [];
    let unanswered: GitRun | null = null;
    let beaten: { on: string | null; times: number } = { on: null, times: 0 };
    // The last known state is good enough for a first try: the remote rejects anything on top of an older state.
    for (let attempt = latest === undefined ? 1 : 0; ; attempt++) {
      const parent =
        attempt === 0
          ? (latest ?? null)
          : await tip().catch((error: unknown) => {
              throw unanswered === null ? error : uncertain(remote, unanswered, error);
            });
      const now = await blobsAt(patiently, parent, paths, branch);
      if (writes.some(({ path, token }) => (now.get(path) ?? null) !== token)) {
        if (attempt === 0) continue;
        return isAmong(sent);
      }
      if (unanswered !== null && attempt > PATIENCE) throw unreachable(remote, unanswered);
      if (attempt > ATTEMPTS) throw contended(branch);
      await checkFolders(patiently, parent, changes);
      const commit = await commitOn(git, parent, changes, (await clone!).folder, await (ident ??= author()), why);
      stopIfInterrupted();
      failpoint('before-send');
      const push = await git(['push', '--quiet', 'origin', `${commit}:refs/heads/${branch}`], { stop: 'finish' });
      failpoint('after-send');
      if (push.cut && stopRequested() !== null) return await settled(commit);
      if (push.status === 0) {
        latest = commit;
        return true;
      }
      unanswered = push.cut || isPassing(push) ? push : null;
      if (unanswered === null && !isBeaten(push)) throw fullDisk(push) ?? refusedBy(remote, branch, push);
      if (unanswered === null) beaten = { on: parent, times: parent === beaten.on ? beaten.times + 1 : 1 };
      if (beaten.times > STUCK) throw refusedBy(remote, branch, push);
      // Also one that lost a race at the remote: git's transport repeats an unanswered request by itself.
      if (!/^ ! \[rejected\]/m.test(push.stderr)) sent.push(commit);
      if (stopRequested() !== null && sent.length > 0) return await settled(commit);
      await pause(attempt);
    }
  }

  /**
   * Whether the branch contains a commit whose push was ended by a stop.
   * @throws AppregError `interrupted` if it does not: the remote may still be processing it
   */
  async function settled(commit: string): Promise<true> {
    const how = ['--quiet', '--no-tags', `--depth=${DEPTH}`, '--filter=blob:none'];
    const fetched = await git(['fetch', ...how, 'origin', `refs/heads/${branch}`], { stop: 'ignore' });
    if (fetched.status === 0) {
      const contained = await git(['merge-base', '--is-ancestor', commit, 'FETCH_HEAD'], { stop: 'ignore' });
      if (contained.status === 0) return true;
    }
    throw interrupted(stopRequested() ?? 'SIGINT', { effect: 'unknown', state: 'A push was under way.' });
  }

  /** Whether one of these commits is in the branch, possibly below later ones. */
  async function isAmong(commits: readonly string[]): Promise<boolean> {
    const now = commits.length === 0 ? null : await tip(DEPTH);
    if (now === null) return false;
    for (const commit of commits)
      if ((await git(['merge-base', '--is-ancestor', commit, now])).status === 0) return true;
    return false;
  }

  /** CI machines often have no user name; git refuses to commit without one. */
  async function author(): Promise<Record<string, string>> {
    const known = await runGit(['var', 'GIT_COMMITTER_IDENT'], { cwd: root });
    return known.status === 0 ? nameOf(text(known)) : named('appreg', 'appreg@localhost');
  }

  return {
    name: `the branch ${branch} of ${redact(remote)}`,
    digest: (path) => inTurn(() => digest(path)),
    read: async (path) => (await inTurn(() => read([path]))).get(path) ?? null,
    create: async (path, bytes, { why } = {}) =>
      (await inTurn(() => write([{ path, bytes, token: null }], why))) ? 'created' : 'exists',
    replace: async (path, bytes, token, { why } = {}) =>
      (await inTurn(() => write([{ path, bytes, token }], why))) ? 'replaced' : 'changed',
    batch: {
      read: (paths) => inTurn(() => read(paths)),
      write: async (writes, why) => ((await inTurn(() => write(writes, why))) ? 'written' : 'changed'),
    },
  };
}

async function pause(attempt: number): Promise<void> {
  await wait(Math.random() * Math.min(2000, 50 * 2 ** attempt), undefined, { signal: stopping() }).catch(
    stopIfInterrupted,
  );
}

/** `Name <mail> seconds zone`, as variables for commit-tree. */
function nameOf(ident: string): Record<string, string> {
  const found = /^(.*) <(.*)> \d+ [+-]\d+$/.exec(ident);
  return found ? named(found[1]!, found[2]!) : {};
}

function named(name: string, mail: string): Record<string, string> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: mail };
}

/** The branch moved while the commit was created: another writer was faster. */
function isBeaten({ stderr }: GitRun): boolean {
  return /\[rejected\]|non-fast-forward|fetch first|stale info|cannot lock ref|failed to update ref|reference already exists|incorrect old value/i.test(
    stderr,
  );
}

function unreachable(remote: string, run: GitRun): AppregError {
  return new AppregError(
    'git-unreachable',
    `The git remote ${printable(redact(remote))} cannot be used: ${saidBy(run)}`,
    'Check its URL, and that git can read it here: git ls-remote <url>',
    { effect: 'none' },
  );
}

function uncertain(remote: string, run: GitRun, cause: unknown): AppregError {
  return new AppregError(
    'git-unreachable',
    `The git remote ${printable(redact(remote))} failed during the write: ${saidBy(run)}`,
    'Run the same command again when it is reachable: it resumes the write.',
    { cause, effect: 'unknown' },
  );
}

function refusedBy(remote: string, branch: string, run: GitRun): AppregError {
  return new AppregError(
    'git-push-rejected',
    `The git remote ${printable(redact(remote))} rejects a commit for the branch ${printable(branch)}: ${saidBy(run)}`,
    'Check that this user or token may push to it, and that the branch is not protected.',
    { effect: 'none' },
  );
}

function contended(branch: string): AppregError {
  return new AppregError(
    'write-conflict',
    `The branch ${printable(branch)} was changed by other processes ${ATTEMPTS} times while a commit was made.`,
    'Run the same command again when fewer changes are made.',
    { effect: 'none' },
  );
}
