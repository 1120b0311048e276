import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { type Bytes, chunksOf, isFileBytes } from '../bytes.ts';
import { interruptedError, type StopSignal, stopSignalOf } from '../../platform/stop-signals.ts';
import { pendingSignals, stopIfInterrupted, stopAbortSignal } from '../interrupt.ts';

/** Runs git without prompts, and with its messages in the language that this program parses. */

export interface GitRun {
  status: number;
  stdout: Buffer;
  stderr: string;
  /** True if it was ended by a signal: its effects are unknown. */
  wasKilled: boolean;
  /** The stop signal that ended it, which this process may not have received yet. */
  endedBy: StopSignal | null;
}

/** Variables that bind git to a repository, as set in hooks: ours is given by its folder. User settings are kept. */
const REPOSITORY_VARIABLES = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_CEILING_DIRECTORIES',
  'GIT_QUARANTINE_PATH',
];

export interface GitDetails {
  /** Written to its stdin. */
  input?: Bytes | string;
  env?: Record<string, string>;
  /** Receives its stdout, which is then not in the result. */
  sink?: (chunk: Uint8Array) => void;
  /**
   * The effect of a stop on the run. `end` (default): ends it, and the run throws AppregError `interrupted`. `finish`:
   * a push; it has some seconds to finish and is killed then. `ignore`: a check after a stop, with its own time limit.
   */
  stop?: 'end' | 'finish' | 'ignore';
}

/** Milliseconds: a push in progress when a stop is requested may take this long. */
const PUSH_GRACE = 4_000;
/** Milliseconds for a check of the remote after a stop. */
const CHECK_TIMEOUT = 3_000;

/**
 * @param args of git
 * @param details.cwd the folder that git is run in; if it does not exist yet, the nearest one above it
 * @throws AppregError `git-missing` if git is not installed, `artifact-changed` for an input that changed, `interrupted`
 * after a stop signal; a status other than 0 is a result, not an error
 */
export async function runGit(
  args: readonly string[],
  { cwd, input, env = {}, sink, stop = 'end' }: GitDetails & { cwd: string },
): Promise<GitRun> {
  if (stop === 'end') stopIfInterrupted();
  const inherited = Object.entries(process.env).filter(([name]) => !REPOSITORY_VARIABLES.includes(name));
  // Ctrl+C is sent to all processes of the terminal's group: a push is not in it, so that it can finish.
  const detached = stop === 'finish' && process.platform !== 'win32' && !mayPrompt(env);
  const child = spawn('git', args, {
    cwd: existingFolder(cwd),
    env: { ...Object.fromEntries(inherited), ...env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => (sink ? sink(chunk) : void out.push(chunk)));
  child.stderr.on('data', (chunk: Buffer) => void err.push(chunk));
  let inputError: unknown = null;
  // git may end before it has read everything; its status shows the outcome.
  child.stdin.on('error', () => {});
  if (input === undefined || typeof input === 'string' || !isFileBytes(input)) child.stdin.end(input ?? '');
  else
    Readable.from(chunksOf(input), { objectMode: false })
      .on('error', (error) => {
        inputError = error;
        child.kill('SIGKILL');
      })
      .pipe(child.stdin);
  const limit = limitTime(child, detached, stop);
  const [status, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', (cause) =>
      reject(
        new AppregError('git-missing', message`git cannot be run: ${cause.message}`, message`Install git.`, { cause }),
      ),
    );
    child.on('close', (...ending) => resolve(ending));
  }).finally(() => limit.done());
  const endedBy = limit.hasExpired() ? null : stopSignalOf({ status, signal });
  if (status !== 0) await pendingSignals();
  if (stop === 'end' && status !== 0) {
    stopIfInterrupted();
    if (endedBy !== null) throw interruptedError(endedBy, { effect: 'none' });
  }
  if (inputError !== null) throw inputError;
  return {
    status: status ?? 128,
    stdout: Buffer.concat(out),
    stderr: Buffer.concat(err).toString('utf8'),
    wasKilled: status === null || limit.hasExpired() || endedBy !== null,
    endedBy,
  };
}

/** The folder, or the nearest one above it that exists: `init` creates its folder later. */
function existingFolder(folder: string): string {
  const parent = dirname(folder);
  return parent === folder || existsSync(folder) ? folder : existingFolder(parent);
}

/** Ends the run at its time limit. */
function limitTime(
  child: ChildProcess,
  detached: boolean,
  stop: 'end' | 'finish' | 'ignore',
): { done(): void; hasExpired(): boolean } {
  const signal = stopAbortSignal();
  let timer: NodeJS.Timeout | undefined;
  let hasExpired = false;
  const end = (): void => {
    hasExpired = true;
    if (child.pid === undefined) return;
    try {
      process.kill(detached ? -child.pid : child.pid, 'SIGTERM');
    } catch {
      // It has ended already.
    }
  };
  const onStop = (): void => {
    timer = setTimeout(end, stop === 'finish' ? PUSH_GRACE : 0);
  };
  const onExit = (): void => {
    if (stop === 'finish') end();
  };
  if (stop === 'ignore') timer = setTimeout(end, CHECK_TIMEOUT);
  else if (signal.aborted) onStop();
  else signal.addEventListener('abort', onStop, { once: true });
  process.once('exit', onExit);
  return {
    done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onStop);
      process.off('exit', onExit);
    },
    hasExpired: () => hasExpired,
  };
}

/** True if ssh may ask for a passphrase at the terminal, which a process of another session cannot do. */
function mayPrompt(env: Record<string, string>): boolean {
  const remote = Object.entries(env).find(([, value]) => value === 'remote.origin.url');
  const url = remote ? (env[remote[0].replace('_KEY_', '_VALUE_')] ?? '') : '';
  const isSsh = /^(ssh|git\+ssh|ssh\+git):/i.test(url) || /^[^/:]+:(?!\/\/)/.test(url);
  return isSsh && process.stdin.isTTY;
}

/** git's message as a sentence that may be displayed: without the credentials of a URL. */
export function gitMessage({ stderr }: GitRun): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote|hint|warning): */, '').trim())
    .filter((line) => line !== '' && !line.startsWith('To '));
  return safeExcerpt(lines.slice(0, 4).join(' · '), 400).replace(/[^.!?…]$/, '$&.');
}

/** True if the connection to the remote failed, rather than the remote or git: a retry may help. */
export function isTransient({ stderr }: GitRun): boolean {
  return /returned error: (429|5\d\d)|HTTP (429|5\d\d)|hung up|early EOF|RPC failed|timed out|Connection (was )?(reset|refused|closed)|Could not resolve|Temporary failure|Empty reply|unexpected disconnect|Internal Server Error|Couldn't connect|Failed to connect/i.test(
    stderr,
  );
}

// The errors of a branch.

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
