import { spawn } from 'node:child_process';
import { printable, redact, shorten } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';

/** Running git: nothing is asked at the keyboard, and its words are in the one language that this program reads. */

export interface GitRun {
  status: number;
  stdout: Buffer;
  stderr: string;
}

/** @throws Trouble `git-missing` where there is no git; a status other than 0 is an answer, not an error */
export async function runGit(
  args: readonly string[],
  { cwd, input, env = {} }: { cwd: string; input?: Uint8Array | string; env?: Record<string, string> },
): Promise<GitRun> {
  const child = spawn('git', args, {
    cwd,
    env: { ...process.env, ...env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
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

/** What git said, in a line that may be shown: without the credentials of a URL. */
export function saidBy({ stderr }: GitRun): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote|hint|warning): */, '').trim())
    .filter((line) => line !== '' && !line.startsWith('To '));
  return printable(redact(shorten(lines.slice(0, 4).join(' · '), 400)));
}
