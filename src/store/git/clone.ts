import { message } from '../../core/text/message.ts';
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppregError } from '../../core/errors/error.ts';
import { whyNotUsable } from '../../platform/make-folder.ts';
import { currentProcess, type ProcessIdentity, isGone } from '../directory/owner.ts';
import { type GitRun, isTransient, runGit, gitMessage } from './process.ts';

export interface GitPlace {
  /** Name of a remote of the repository around `root`, or a URL that git understands. */
  remote: string;
  branch: string;
  /** Folder that a remote's name and a relative path are resolved in. */
  root: string;
}

export interface Clone {
  folder: string;
  /** The repository, if it is a folder of this machine; else null. */
  local: string | null;
  /** The settings for the remote, for git's environment. */
  env: Record<string, string>;
}

/** A name and a value of git's configuration. */
type Setting = [name: string, value: string];

const PREFIX = 'appreg-git-';

/**
 * A bare clone without any content yet, removed when the program ends.
 * @throws AppregError if it cannot be created
 */
export async function makeClone({ remote, root }: GitPlace): Promise<Clone> {
  const url = await urlOf(remote, root);
  const folder = await temporaryFolder();
  await requireSuccess(runGit(['init', '--quiet', '--bare'], { cwd: folder }));
  const settings: Setting[] = [
    ['remote.origin.url', url],
    // Objects that are not fetched now are fetched when they are read.
    ['remote.origin.promisor', 'true'],
    ['gc.auto', '0'],
    // Larger files are streamed, and not held in memory for delta compression.
    ['core.bigFileThreshold', '4m'],
    ['maintenance.auto', 'false'],
    ...(await accessOf(root)),
  ];
  // In the environment, so that no secret is written to a disk.
  const env: Record<string, string> = {};
  let count = Number(process.env['GIT_CONFIG_COUNT'] ?? 0);
  for (const [key, value] of settings) {
    env[`GIT_CONFIG_KEY_${count}`] = key;
    env[`GIT_CONFIG_VALUE_${count}`] = value;
    count++;
  }
  return { folder, local: localFolder(url), env: { ...env, GIT_CONFIG_COUNT: String(count) } };
}

/** A remote's name is resolved in the workspace; its push URL is used, since it accepts writes. */
async function urlOf(remote: string, root: string): Promise<string> {
  if (remote.startsWith('-')) throw unknownRemote(remote);
  const named = await runGit(['remote', 'get-url', '--push', remote], { cwd: root });
  // git resolves a path in its configuration against the top of the work tree, wherever below it is run.
  if (/dubious ownership/.test(named.stderr)) throw ownershipError(root);
  if (named.status === 0)
    return isLocal(outputOf(named)) ? resolve(await topOf(root), outputOf(named)) : outputOf(named);
  if (/^[\w.-]+$/.test(remote) && !/^\.+$/.test(remote))
    throw /not a git repository/.test(named.stderr) ? noRepository(remote, root) : unknownRemote(remote);
  return isLocal(remote) ? resolve(root, remote) : remote;
}

/** Distinguishes a path from an address as git does: by a colon before any slash. */
function isLocal(url: string): boolean {
  return isAbsolute(url) || !/^[^/]*:/.test(url);
}

/** The folder of a path or a file URL. */
function localFolder(url: string): string | null {
  if (url.startsWith('file:')) return fileURLToPath(url);
  return isLocal(url) ? url : null;
}

async function topOf(root: string): Promise<string> {
  const top = await runGit(['rev-parse', '--show-toplevel'], { cwd: root });
  return top.status === 0
    ? outputOf(top)
    : outputOf(await requireSuccess(runGit(['rev-parse', '--absolute-git-dir'], { cwd: root })));
}

/** The user repository's settings for credentials, proxies and certificates: pipelines receive their token there. */
async function accessOf(root: string): Promise<Setting[]> {
  const found = await runGit(
    ['config', '--show-scope', '-z', '--get-regexp', '^(http|https|credential|ssh)\\.|^core\\.(sshcommand|askpass)$'],
    { cwd: root },
  );
  const settings: Setting[] = [];
  // Each setting is a scope, then the name and the value in lines.
  for (const [, scope, key, value] of found.stdout
    .toString('utf8')
    .matchAll(/([^\0]*)\0([^\0\n]*)(?:\n([^\0]*))?\0/g)) {
    // The user's and the machine's settings apply in the clone as well.
    if (key !== undefined && (scope === 'local' || scope === 'worktree')) settings.push([key, value ?? '']);
  }
  return settings;
}

/** Removed when the program ends; one that a killed run left behind is removed by the next run. */
async function temporaryFolder(): Promise<string> {
  const parent = tmpdir();
  let folder: string;
  try {
    await removeStaleClones(parent);
    const { machine, pid, started } = currentProcess();
    folder = await mkdtemp(join(parent, `${PREFIX}${machine}-${pid}-${started ?? 0}-`));
  } catch (cause) {
    throw new AppregError(
      'temporary-folder-unusable',
      message`Cannot create a folder in ${parent}: ${whyNotUsable(cause)}.`,
      message`Set TMPDIR to a writable folder with free space.`,
      { effect: 'none', cause },
    );
  }
  if (folders.size === 0) process.once('exit', removeAll);
  folders.add(folder);
  return folder;
}

const folders = new Set<string>();

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** Removes the clones of processes that are gone; if that cannot be known, those that are a day old. */
async function removeStaleClones(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(parent, name);
    // A folder of another user may be neither read nor removed.
    const isStale = await isGone(ownerOf(name), path).catch(() => false);
    if (isStale) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** The process in the name of a clone; null for names without one. */
function ownerOf(name: string): ProcessIdentity | null {
  const [, machine, pid, started] = /^([0-9a-f]{12})-(\d{1,10})-(\d+)-/.exec(name.slice(PREFIX.length)) ?? [];
  if (machine === undefined) return null;
  return { machine, pid: Number(pid), started: started === '0' ? null : (started ?? null) };
}

/**
 * The output of git.
 * @throws AppregError with git's message if it fails
 */
export async function requireSuccess(run: Promise<GitRun>): Promise<GitRun> {
  const done = await run;
  if (done.status === 0) return done;
  throw (
    fullDisk(done) ??
    new AppregError(
      'git-failed',
      message`git failed: ${gitMessage(done)}`,
      isTransient(done)
        ? message`Run the same command again when the remote can be reached.`
        : message`Check the repository with git, then run the same command again.`,
      { effect: 'none', advisesRepeat: true },
    )
  );
}

/** The error of a full temporary folder; null for another cause. (The remote's messages begin with its name.) */
export function fullDisk(run: GitRun): AppregError | null {
  if (!/^(?!remote:).*(No space left on device|Disk quota exceeded)/m.test(run.stderr)) return null;
  return new AppregError(
    'disk-full',
    message`git found no free space in ${tmpdir()}: ${gitMessage(run)}`,
    message`Free some space there, or set TMPDIR to another folder; then run the same command again.`,
    { effect: 'none', advisesRepeat: true },
  );
}

export function outputOf({ stdout }: GitRun): string {
  return stdout.toString('utf8').replace(/\n$/, '');
}

/** As in a CI container whose checkout is owned by the machine's user. */
function ownershipError(root: string): AppregError {
  return new AppregError(
    'git-ownership',
    message`git rejects the repository of ${root}, because its folder belongs to another user.`,
    message`Allow it: git config --global --add safe.directory <folder>`,
    { effect: 'none' },
  );
}

function noRepository(remote: string, root: string): AppregError {
  return new AppregError(
    'git-remote-unknown',
    message`The folder ${root} is not in a git repository, so the remote “${remote}” is unknown.`,
    message`Run the command in a clone of the repository, or set "remote" of the store (init: --remote) to its URL.`,
  );
}

function unknownRemote(remote: string): AppregError {
  return new AppregError(
    'git-remote-unknown',
    message`This repository has no git remote “${remote}”.`,
    message`Set "remote" of the store in the configuration to the name of a remote (git remote -v), or to its URL.`,
  );
}
