import { AppregError } from '../../core/errors.ts';
import { failpoint } from '../failpoint.ts';
import { stopIfInterrupted, stopRequested } from '../interrupt.ts';
import type { Write } from '../store.ts';
import { type Branch, CONNECTION_ATTEMPTS, pauseBeforeRetry } from './branch.ts';
import { fullDisk, requireSuccess, outputOf } from './clone.ts';
import { branchContended, pushRejected, writeUncertain, remoteUnreachable } from './errors.ts';
import { blobsAt, type Change, checkFolders, commitOn } from './objects.ts';
import { type GitRun, isTransient } from './process.ts';

/** Attempts of a write that lost a race: each is built on top of the winner's commit. */
const ATTEMPTS = 200;
/** Number of times that the remote may report a lost race although the branch did not move. */
const MAX_LOST_WITHOUT_CHANGE = 8;

/** Commits and pushes the writes if the files are in the required states; false if one is not. */
export async function pushWrites(branch: Branch, writes: readonly Write[], why?: string): Promise<boolean> {
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
    if (push.wasKilled && stopRequested() !== null) return branch.ensurePushed(commit);
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
    if (stopRequested() !== null && sent.length > 0) return branch.ensurePushed(commit);
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
