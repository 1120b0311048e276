import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * The built program in one process that serves several runs, one after the other: starting Node takes longer than most
 * commands. For runs whose process is not what is tested, such as those that prepare a state or complete one.
 */
export interface SharedProcess {
  run(args: readonly string[], where: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<SharedRun>;
  close(): void;
}

interface SharedRun {
  code: number;
  signal: null;
  stdout: string;
  stderr: string;
}

const CHILD = join(import.meta.dirname, 'shared-process-child.mjs');
/** NODE_PATH takes effect when a process starts; esbuild is there. */
const NODE_PATH = join(import.meta.dirname, '../../node_modules');

/** @param program dist/cli/main.cjs; the process starts with the first run */
export function openSharedProcess(program: string): SharedProcess {
  let child: ChildProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(args, { cwd, env = process.env }) {
      child ??= started(program);
      const current = last.then(() => answerOf(child!, { args, cwd, env }));
      last = current.catch(() => {});
      return current;
    },
    close: () => void child?.kill('SIGKILL'),
  };
}

function started(program: string): ChildProcess {
  const child = fork(CHILD, [program], { env: { ...process.env, NODE_PATH }, execArgv: [], silent: true });
  // What it writes between two runs, such as the stack of a crash.
  child.stderr?.pipe(process.stderr, { end: false });
  return child;
}

async function answerOf(child: ChildProcess, run: { args: readonly string[]; cwd: string; env: NodeJS.ProcessEnv }) {
  const settled = new AbortController();
  const ended = async (): Promise<never> => {
    const [code, signal] = await once(child, 'exit', settled);
    throw new Error(`The shared process ended with ${code ?? signal}: appreg ${run.args.join(' ')}`);
  };
  try {
    const answered = once(child, 'message', settled);
    child.send(run);
    const [answer] = await Promise.race([answered, ended()]);
    return { ...(answer as Omit<SharedRun, 'signal'>), signal: null };
  } finally {
    settled.abort();
  }
}
