import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors.ts';
import { type GitRun, gitMessage } from './process.ts';

/** The errors of a branch. */

export function remoteUnreachable(remote: string, run: GitRun): AppregError {
  return new AppregError(
    'git-unreachable',
    message`The git remote ${remote} cannot be used: ${gitMessage(run)}`,
    message`Check its URL, and that git can read it from here: git ls-remote <url>`,
    { effect: 'none' },
  );
}

export function writeUncertain(remote: string, run: GitRun, cause: unknown): AppregError {
  return new AppregError(
    'git-unreachable',
    message`The git remote ${remote} failed during the write: ${gitMessage(run)}`,
    message`Run the same command again once the remote is reachable: it resumes the write.`,
    { cause, effect: 'unknown', advisesRepeat: true },
  );
}

export function pushRejected(remote: string, branch: string, run: GitRun): AppregError {
  return new AppregError(
    'git-push-rejected',
    message`The git remote ${remote} rejects a commit for the branch ${branch}: ${gitMessage(run)}`,
    message`Check that this user or token may push to it, and that the branch is not protected.`,
    { effect: 'none' },
  );
}

export function branchContended(branch: string, attempts: number): AppregError {
  return new AppregError(
    'write-conflict',
    message`The branch ${branch} was changed by other processes ${attempts} times during the commit.`,
    message`Run the same command again once fewer processes change it.`,
    { effect: 'none', advisesRepeat: true },
  );
}
