import { spawn } from 'node:child_process';
import { printable, redact, shorten } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';

/** Running git: nothing is asked at the keyboard, and its words are in the one language that this program reads. */

export interface GitRun {
  status: number;
  stdout: Buffer;
  stderr: string;
}

/** What binds git to a repository, as it is set in hooks: ours are named by their folder. Settings of the user stay. */
const BINDING = [
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

/** @throws Trouble `git-missing` where there is no git; a status other than 0 is an answer, not an error */
export async function runGit(
  args: readonly string[],
  { cwd, input, env = {} }: { cwd: string; input?: Uint8Array | string; env?: Record<string, string> },
): Promise<GitRun> {
  const own = Object.entries(process.env).filter(([name]) => !BINDING.includes(name));
  const child = spawn('git', args, {
    cwd,
    env: { ...Object.fromEntries(own), ...env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => void out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => void err.push(chunk));
  // git may end before it has read everything; its status tells.
  child.stdin.on('error', () => {}).end(input ?? '');
  const status = await new Promise<number>((resolve, reject) => {
    child.on('error', (cause) =>
      reject(new Trouble('git-missing', `git cannot be run: ${cause.message}`, 'Install git.', { cause })),
    );
    child.on('close', (code) => resolve(code ?? 128));
  });
  return { status, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') };
}

/** What git said, as a sentence that may be shown: without the credentials of a URL. */
export function saidBy({ stderr }: GitRun): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote|hint|warning): */, '').trim())
    .filter((line) => line !== '' && !line.startsWith('To '));
  return printable(redact(shorten(lines.slice(0, 4).join(' · '), 400))).replace(/[^.!?…]$/, '$&.');
}

/** True where the way to the remote failed, and not the remote or git: trying again may help. */
export function isPassing({ stderr }: GitRun): boolean {
  return /returned error: (429|5\d\d)|HTTP (429|5\d\d)|hung up|early EOF|RPC failed|timed out|Connection (was )?(reset|refused|closed)|Could not resolve|Temporary failure|Empty reply|unexpected disconnect|Internal Server Error|Couldn't connect|Failed to connect/i.test(
    stderr,
  );
}
