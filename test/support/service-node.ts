import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
// @ts-expect-error a script without types
import { build } from '../../scripts/build.mjs';

/** Nodes of the service as processes of their own, that can be killed. */

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const nodes = new Set<ChildProcess>();
let built: Promise<string> | null = null;
let out = '';

function killAll(): void {
  for (const child of nodes) child.kill('SIGKILL');
}

// When a test file's own tidying fails, that of others is not called.
process.on('exit', killAll);
afterAll(() => {
  killAll();
  if (out !== '') rmSync(out, { recursive: true, force: true });
});

async function program(): Promise<string> {
  out = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
  await build({ types: false, out: join(out, 'dist') });
  return join(out, 'dist/cli/main.cjs');
}

export interface Node {
  child: ChildProcess;
  /** Its address, once it is ready; rejects where it ends before. */
  ready: Promise<string>;
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | string>;
  /** What it wrote to stderr so far. */
  said(): string;
}

/** Starts `appreg service` on any free port. */
export async function startNode(args: string[], env: Record<string, string> = {}, cwd = root): Promise<Node> {
  const main = await (built ??= program());
  const run = `require(${JSON.stringify(main)}).main(process.argv).then((code) => { process.exitCode = code; });`;
  const child = spawn(process.execPath, ['-e', run, 'appreg', 'service', '--port', '0', ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  nodes.add(child);
  let said = '';
  let printed = '';
  child.stderr.on('data', (data: Buffer) => void (said += data.toString()));
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
    void ended.then((how) => fail(new Error(`it ended (${how}): ${said}`)));
  });
  ready.catch(() => undefined);
  return { child, ready, ended, said: () => said };
}
