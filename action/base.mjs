// State that is published before a pull request: the commit that it is merged into.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathsOf, UsageError } from './inputs.mjs';

const SET =
  'In actions/checkout set fetch-depth: 0, or give this action the input against (none compares with nothing).';

/**
 * A commit that is in the clone, or null when this run is for no pull request. actions/checkout fetches one commit, the
 * pull request merged into its base: its first parent is exactly what the files are to be compared with, however far
 * the base has gone on since. That commit alone is fetched.
 * @param env of the runner
 * @throws UsageError for a checkout from which it cannot be known
 */
export function baseOfPullRequest(env) {
  const { pull_request: pull, merge_group: group } = eventOf(env);
  if (!pull && !group) return null;
  const path = resolve(pathsOf(env)[0]);
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  const git = (...args) =>
    spawnSync('git', args, { cwd: folder, encoding: 'utf8', env: { ...env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' } });

  const head = git('rev-parse', '--verify', 'HEAD');
  if (head.status !== 0)
    throw new UsageError(
      `This pull request is to be compared with its base, but ${folder} is in no git repository: ${reason(head)}. Add actions/checkout before this step.`,
    );
  const base = group ? group.base_sha : mergedInto(git, head.stdout.trim(), pull, env);
  if (!/^[0-9a-f]{40,64}$/.test(base)) throw new UsageError(`The base of this pull request is not known. ${SET}`);
  if (git('cat-file', '-e', `${base}^{commit}`).status === 0) return base;
  const fetched = git('fetch', '--quiet', '--no-tags', '--depth=1', 'origin', base);
  if (fetched.status === 0) return base;
  throw new UsageError(`The base of this pull request (${base}) cannot be fetched: ${reason(fetched)}. ${SET}`);
}

function mergedInto(git, head, pull, env) {
  // The object itself: in a shallow clone, git log and HEAD^1 know no parents.
  const object = git('cat-file', 'commit', head).stdout;
  const parents = [...object.split('\n\n', 1)[0].matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent]) => parent);
  if (parents.length === 2 && (head === env.GITHUB_SHA || parents[1] === pull.head.sha)) return parents[0];
  if (head !== pull.head.sha)
    throw new UsageError(
      `The commit checked out (${head}) is neither this pull request's head nor its merge into the base, so its changes would not be seen. Check out refs/pull/${Number(pull.number)}/merge, or give this action the input against.`,
    );
  // appreg itself goes back to where the branch left its base, which takes the history.
  if (git('rev-parse', '--is-shallow-repository').stdout.trim() === 'true')
    throw new UsageError(
      `The head of the pull request is checked out without its history, so where it left its base is not known. ${SET}`,
    );
  return pull.base.sha;
}

/** The payload of the event; empty if the runner gives none. */
export function eventOf(env) {
  return env.GITHUB_EVENT_PATH && existsSync(env.GITHUB_EVENT_PATH)
    ? JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'))
    : {};
}

function reason({ error, stderr }) {
  return error ? error.message : stderr.trim().split('\n').at(-1).replace(/\.$/, '');
}
