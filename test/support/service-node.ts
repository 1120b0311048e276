import { type ChildProcess, spawn } from 'node:child_process';
import { CODE_CACHE } from './code-cache.ts';

/** Nodes of the service as processes of their own, that can be killed. */

const nodes = new Set<ChildProcess>();

// They must not outlive a test that fails.
process.on('exit', () => {
  for (const child of nodes) child.kill('SIGKILL');
});

export interface Node {
  child: ChildProcess;
  /** Its URL, once it is ready; rejects if it ends before. */
  ready: Promise<string>;
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | string>;
  /** The stderr so far. */
  stderr(): string;
  /** Discards the output so far. */
  forget(): void;
}

/** Starts `appreg service` on any free port. @param main dist/node/main.cjs */
export function startNode(
  main: string,
  args: string[],
  { env = {}, cwd = process.cwd() }: { env?: Record<string, string>; cwd?: string } = {},
): Node {
  const run = `require(${JSON.stringify(main)}).main(process.argv).then((code) => { process.exitCode = code; });`;
  const child = spawn(process.execPath, ['-e', run, 'appreg', 'service', '--port', '0', ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...CODE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  nodes.add(child);
  let stderr = '';
  let printed = '';
  child.stderr.on('data', (data: Buffer) => void (stderr += data.toString()));
  const ended = new Promise<number | string>((done) => {
    child.once('close', (code, signal) => {
      nodes.delete(child);
      done(code ?? signal!);
    });
  });
  const ready = new Promise<string>((done, fail) => {
    child.stdout.on('data', (data: Buffer) => {
      printed += data.toString();
      if (printed.includes('\n')) done(printed.split('\n')[0]!);
    });
    void ended.then((how) => fail(new Error(`it ended (${how}): ${stderr}`)));
  });
  ready.catch(() => undefined);
  return { child, ready, ended, stderr: () => stderr, forget: () => void (stderr = '') };
}
