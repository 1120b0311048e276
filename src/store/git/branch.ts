import { message } from '../../core/text/message.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { interruptedError, type StopSignal } from '../../platform/stop-signals.ts';
import { stopIfInterrupted, stopAbortSignal } from '../interrupt.ts';
import { type Clone, fullDisk, type GitPlace, makeClone, outputOf } from './clone.ts';
import { remoteUnreachable, isTransient, runGit } from './process.ts';
import type { Git } from './objects.ts';

/** Number of times that the connection to the remote may fail. */
export const CONNECTION_ATTEMPTS = 5;
/** Commits that are searched for one of ours. */
const DEPTH = 200;

/** A branch of a remote, in a temporary clone that is made for the first command. */
export interface Branch {
  name: string;
  remote: string;
  git: Git;
  /** For idempotent commands: repeated if the connection fails. */
  retrying: Git;
  /** The folder of the clone. */
  folder(): Promise<string>;
  /** The folder of the remote, if it is on this machine; else null. */
  local(): Promise<string | null>;
  /** Who commits, as environment variables. */
  author(): Promise<Record<string, string>>;
  /** The last known commit, null for a branch that does not exist; undefined before the first read. */
  known(): string | null | undefined;
  /** Records a commit that was pushed. */
  advanceTo(commit: string): void;
  /** The branch's current commit; null if the branch does not exist yet. */
  tip(): Promise<string | null>;
  /** True if one of these commits is in the branch, possibly below later ones. */
  containsAny(commits: readonly string[]): Promise<boolean>;
  /**
   * True if the branch contains a commit whose push was ended by a stop.
   * @throws AppregError `interrupted` if it does not: the remote may still be processing it
   */
  ensurePushed(commit: string, stop: StopSignal): Promise<true>;
}

export function openBranch(place: GitPlace): Branch {
  const { remote, branch } = place;
  let latest: string | null | undefined;
  let authorKnown: Promise<Record<string, string>> | null = null;
  const { git, retrying, folder, local } = openCommands(place);

  /** The branch's current commit; null if the branch does not exist yet. */
  async function tip(depth = 1): Promise<string | null> {
    if (latest && depth === 1 && (await isStill(latest))) return latest;
    const how = ['--quiet', '--no-tags', `--depth=${depth}`, '--filter=blob:none'];
    const run = await retrying(['fetch', ...how, 'origin', `refs/heads/${branch}`]);
    if (run.status === 0)
      return (latest = (await readFile(join(await folder(), 'FETCH_HEAD'), 'utf8')).replace(/\s[^]*$/, ''));
    if (/couldn't find remote ref/i.test(run.stderr)) return (latest = null);
    throw fullDisk(run) ?? remoteUnreachable(remote, run);
  }

  /** Checked without fetching anything; false also if unknown. */
  async function isStill(commit: string): Promise<boolean> {
    const listed = await git(['ls-remote', '--quiet', 'origin', `refs/heads/${branch}`]);
    return listed.status === 0 && outputOf(listed) === `${commit}\trefs/heads/${branch}`;
  }

  async function ensurePushed(commit: string, stop: StopSignal): Promise<true> {
    const how = ['--quiet', '--no-tags', `--depth=${DEPTH}`, '--filter=blob:none'];
    const fetched = await git(['fetch', ...how, 'origin', `refs/heads/${branch}`], { stop: 'ignore' });
    if (fetched.status === 0) {
      const contained = await git(['merge-base', '--is-ancestor', commit, 'FETCH_HEAD'], { stop: 'ignore' });
      if (contained.status === 0) return true;
    }
    throw interruptedError(stop, { effect: 'unknown', state: message`A push was in progress.` });
  }

  async function containsAny(commits: readonly string[]): Promise<boolean> {
    const current = commits.length === 0 ? null : await tip(DEPTH);
    if (current === null) return false;
    for (const commit of commits)
      if ((await git(['merge-base', '--is-ancestor', commit, current])).status === 0) return true;
    return false;
  }

  return {
    name: branch,
    remote,
    git,
    retrying,
    folder,
    local,
    author: () => (authorKnown ??= authorOf(place.root)),
    known: () => latest,
    advanceTo: (commit) => void (latest = commit),
    tip: () => tip(),
    containsAny,
    ensurePushed,
  };
}

function openCommands(place: GitPlace): Pick<Branch, 'git' | 'retrying' | 'folder' | 'local'> {
  let clone: Promise<Clone> | null = null;
  const cloned = (): Promise<Clone> => (clone ??= makeClone(place));

  const git: Git = async (args, more = {}) => {
    const { folder, env } = await cloned();
    return runGit(args, { ...more, cwd: folder, env: { ...env, ...more.env } });
  };

  const retrying: Git = async (args, more) => {
    for (let attempt = 1; ; attempt++) {
      const run = await git(args, more);
      if (run.status === 0 || attempt === CONNECTION_ATTEMPTS || !isTransient(run)) return run;
      await pauseBeforeRetry(attempt);
    }
  };

  return {
    git,
    retrying,
    folder: async () => (await cloned()).folder,
    local: async () => (await cloned()).local,
  };
}

export async function pauseBeforeRetry(attempt: number): Promise<void> {
  await wait(Math.random() * Math.min(2000, 50 * 2 ** attempt), undefined, { signal: stopAbortSignal() }).catch(
    stopIfInterrupted,
  );
}

/** CI machines often have no user name; git refuses to commit without one. */
async function authorOf(root: string): Promise<Record<string, string>> {
  const known = await runGit(['var', 'GIT_COMMITTER_IDENT'], { cwd: root });
  return known.status === 0 ? committerIn(outputOf(known)) : committer('appreg', 'appreg@localhost');
}

/** `Name <mail> seconds zone`, as variables for commit-tree. */
function committerIn(ident: string): Record<string, string> {
  const [, name, mail] = /^(.*) <(.*)> \d+ [+-]\d+$/.exec(ident) ?? [];
  return name === undefined || mail === undefined ? {} : committer(name, mail);
}

function committer(name: string, mail: string): Record<string, string> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: mail };
}
