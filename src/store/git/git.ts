import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { redact } from '../../core/text/text.ts';
import { requireNode } from '../../platform/runtime.ts';
import type { Digest } from '../bytes.ts';
import { failpoint } from '../failpoint.ts';
import { stopIfInterrupted, stopRequested } from '../interrupt.ts';
import { checkedSegments } from '../paths.ts';
import type { BatchStore, Stored, Write } from '../store.ts';
import { openBranch, type Branch, CONNECTION_ATTEMPTS, pauseBeforeRetry } from './branch.ts';
import { type GitPlace, fullDisk, requireSuccess, outputOf } from './clone.ts';
import { blobDigest, blobsAt, contentsOf, type Change, checkFolders, commitOn } from './objects.ts';
import {
  branchContended,
  pushRejected,
  writeUncertain,
  remoteUnreachable,
  type GitRun,
  isTransient,
} from './process.ts';

/** Larger files, in bytes, are requested each time. */
const MAX_CACHED = 1_000_000;

/**
 * A registry in a branch of a git remote, as hosts of static pages publish it. All writes of a batch are one commit on
 * top of the current branch, and a push that the remote accepts only if the branch has not moved: otherwise it is read
 * again, the condition is checked again, and the commit is created again. After a push without a response, the branch
 * is searched for its commit. Nothing is checked out, and the user's own repository is not touched; only the files that
 * are read are fetched, if the remote supports it.
 * @throws AppregError `runtime-unsupported` (exit 2) on a runtime other than Node.js
 */
export function openGit(place: GitPlace): BatchStore {
  requireNode(message`A registry in a git branch`);
  const branch = openBranch(place);
  /** Contents by blob: a publisher reads the same documents several times. */
  const cached = new Map<string, Buffer>();
  let last: Promise<unknown> = Promise.resolve();
  let writable: Promise<void> | null = null;

  /** Sequentially: git locks its own files, and does not wait. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  }

  async function read(paths: readonly string[]): Promise<Map<string, Stored>> {
    for (const path of paths) checkedSegments(path);
    const blobs = await blobsAt(branch.retrying, await branch.tip(), paths, branch.name);
    const missing = [...new Set(blobs.values())].filter((blob) => !cached.has(blob));
    const fetched = missing.length === 0 ? new Map<string, Buffer>() : await contentsOf(branch.retrying, missing);
    const files = new Map<string, Stored>();
    for (const [path, blob] of blobs) {
      const bytes = cached.get(blob) ?? fetched.get(blob);
      if (bytes === undefined) throw new Error(`git returned no content for ${blob}`);
      if (bytes.length <= MAX_CACHED) cached.set(blob, bytes);
      files.set(path, { bytes: Buffer.from(bytes), token: blob });
    }
    return files;
  }

  async function digest(path: string): Promise<Digest | null> {
    checkedSegments(path);
    const blob = (await blobsAt(branch.retrying, await branch.tip(), [path], branch.name)).get(path);
    return blob === undefined ? null : blobDigest(branch.git, blob);
  }

  /** Writes if the files are in the required states; false if one is not. */
  async function write(writes: readonly Write[], why?: string): Promise<boolean> {
    for (const { path } of writes) checkedSegments(path);
    return inTurn(() => pushWrites(branch, writes, why));
  }

  return {
    name: `the branch ${place.branch} of ${redact(place.remote)}`,
    requireWritable: () => (writable ??= requireWritableRemote(branch)),
    digest: (path) => inTurn(() => digest(path)),
    read: async (path) => (await inTurn(() => read([path]))).get(path) ?? null,
    create: async (path, bytes, { why } = {}) =>
      (await write([{ path, bytes, token: null }], why)) ? 'created' : 'exists',
    replace: async (path, bytes, token, { why } = {}) =>
      (await write([{ path, bytes, token }], why)) ? 'replaced' : 'changed',
    batch: {
      read: (paths) => inTurn(() => read(paths)),
      write: async (writes, why) => ((await write(writes, why)) ? 'written' : 'changed'),
    },
  };
}

/**
 * Tests a remote on this machine; another one is only known once it was pushed to.
 * @throws AppregError `git-push-rejected`
 */
async function requireWritableRemote({ local, remote, name }: Branch): Promise<void> {
  const folder = await local();
  if (folder === null) return;
  const repository = [join(folder, '.git'), folder].find((path) => existsSync(join(path, 'objects')));
  if (repository === undefined) return;
  for (const path of ['objects', 'refs'].map((part) => join(repository, part)))
    await access(path, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
      throw new AppregError(
        'git-push-rejected',
        message`The git remote ${redact(remote)} cannot get a commit for the branch ${name}: ${path} is not writable.`,
        message`Check the owner and the permissions of the repository.`,
        { effect: 'none', cause },
      );
    });
}

/** Attempts of a write that lost a race: each is built on top of the winner's commit. */
const ATTEMPTS = 200;
/** Number of times that the remote may report a lost race although the branch did not move. */
const MAX_LOST_WITHOUT_CHANGE = 8;

/** Commits and pushes the writes if the files are in the required states; false if one is not. */
async function pushWrites(branch: Branch, writes: readonly Write[], why?: string): Promise<boolean> {
  const changes = await storeBlobs(branch, writes);
  /** Commits that were sent without confirmation, and may have been accepted. */
  const sent: string[] = [];
  let unanswered: GitRun | null = null;
  let lost: { on: string | null; times: number } = { on: null, times: 0 };
  // The last known state is good enough for a first try: the remote rejects anything on top of an older state.
  for (let attempt = branch.known() === undefined ? 1 : 0; ; attempt++) {
    const parent = attempt === 0 ? (branch.known() ?? null) : await tipAfter(branch, unanswered);
    if (!(await areAsRead(branch, parent, writes))) {
      if (attempt === 0) continue;
      return branch.containsAny(sent);
    }
    if (unanswered !== null && attempt > CONNECTION_ATTEMPTS) throw remoteUnreachable(branch.remote, unanswered);
    if (attempt > ATTEMPTS) throw branchContended(branch.name, ATTEMPTS);
    await checkFolders(branch.retrying, parent, changes);
    const commit = await commitOn(branch.git, parent, changes, await branch.folder(), await branch.author(), why);
    stopIfInterrupted();
    const push = await pushCommit(branch, commit);
    const stop = stopRequested() ?? push.endedBy;
    if (push.wasKilled && stop !== null) return branch.ensurePushed(commit, stop);
    if (push.status === 0) {
      branch.advanceTo(commit);
      return true;
    }
    unanswered = push.wasKilled || isTransient(push) ? push : null;
    const rejected = (): AppregError => fullDisk(push) ?? pushRejected(branch.remote, branch.name, push);
    if (unanswered === null && !isRaceLost(push)) throw rejected();
    if (unanswered === null) lost = { on: parent, times: parent === lost.on ? lost.times + 1 : 1 };
    if (lost.times > MAX_LOST_WITHOUT_CHANGE) throw pushRejected(branch.remote, branch.name, push);
    // Also one that lost a race at the remote: git's transport repeats an unanswered request by itself.
    if (!/^ ! \[rejected\]/m.test(push.stderr)) sent.push(commit);
    if (stop !== null && sent.length > 0) return branch.ensurePushed(commit, stop);
    await pauseBeforeRetry(attempt);
  }
}

async function storeBlobs({ git }: Branch, writes: readonly Write[]): Promise<Change[]> {
  const changes: Change[] = [];
  for (const { path, bytes, token } of writes) {
    const blob = outputOf(
      await requireSuccess(git(['hash-object', '-w', '--no-filters', '--stdin'], { input: bytes })),
    );
    changes.push({ path, blob, isNew: token === null });
  }
  return changes;
}

/** @param unanswered a push without a response: if the branch cannot be read either, its outcome is unknown */
function tipAfter(branch: Branch, unanswered: GitRun | null): Promise<string | null> {
  return branch.tip().catch((error: unknown) => {
    throw unanswered === null ? error : writeUncertain(branch.remote, unanswered, error);
  });
}

/** True if every file is in the state that its write requires. */
async function areAsRead(
  { retrying, name }: Branch,
  parent: string | null,
  writes: readonly Write[],
): Promise<boolean> {
  const paths = writes.map(({ path }) => path);
  const current = await blobsAt(retrying, parent, paths, name);
  return writes.every(({ path, token }) => (current.get(path) ?? null) === token);
}

async function pushCommit({ git, name }: Branch, commit: string): Promise<GitRun> {
  failpoint('before-send');
  const push = await git(['push', '--quiet', 'origin', `${commit}:refs/heads/${name}`], { stop: 'finish' });
  failpoint('after-send');
  return push;
}

/** The branch moved while the commit was created: another writer was faster. */
function isRaceLost({ stderr }: GitRun): boolean {
  return /\[rejected\]|non-fast-forward|fetch first|stale info|cannot lock ref|failed to update ref|reference already exists|incorrect old value/i.test(
    stderr,
  );
}
