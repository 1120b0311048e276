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
  /** Both, in the order written. */
  output: string;
}

const CHILD = join(import.meta.dirname, 'shared-process-child.mjs');
/** NODE_PATH takes effect when a process starts; esbuild is there. */
const NODE_PATH = join(import.meta.dirname, '../../node_modules');

/**
 * The process starts with the first run.
 * @param program dist/node/main.cjs
 * @param options.launcher a program, and its arguments, that starts Node; @param options.limit milliseconds per run
 * @param options.node another Node than that of the tests
 */
export function openSharedProcess(
  program: string,
  { launcher = [], limit = null, node = process.execPath }: Options = {},
): SharedProcess {
  let child: ChildProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const answer = async (run: Run): Promise<SharedRun> => {
    const answering = (child ??= started(program, node, launcher));
    // A process that waits for a file can only be killed.
    const timer = limit === null ? undefined : setTimeout(() => answering.kill('SIGKILL'), limit);
    try {
      return await answerOf(answering, run);
    } finally {
      clearTimeout(timer);
      if (answering.killed) child = null;
    }
  };
  return {
    run(args, { cwd, env = process.env }) {
      const current = last.then(() => answer({ args, cwd, env }));
      last = current.catch(() => {});
      return current;
    },
    close: () => void child?.kill('SIGKILL'),
  };
}

interface Options {
  launcher?: readonly string[];
  limit?: number | null;
  node?: string;
}

interface Run {
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
}

function started(program: string, node: string, [launcher, ...words]: readonly string[]): ChildProcess {
  const how =
    launcher === undefined ? { execPath: node, execArgv: [] } : { execPath: launcher, execArgv: [...words, node] };
  const child = fork(CHILD, [program], { env: { ...process.env, NODE_PATH }, silent: true, ...how });
  // The child also writes between two runs, such as the stack of a crash.
  child.stderr?.pipe(process.stderr, { end: false });
  return child;
}

async function answerOf(child: ChildProcess, run: Run): Promise<SharedRun> {
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
