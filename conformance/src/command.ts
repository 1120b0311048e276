import { AppregError, message } from 'appreg';
import { spawn } from 'node:child_process';

/** Runs the program that --command names: the implementation that is tested. */

/** The most that is read from a program, in bytes; more ends it. */
const LARGEST_OUTPUT = 16_000_000;

export interface CommandResult {
  /** The exit code; null if a signal ended the program. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** The reason why the kit ended the program; null if it ended itself. */
  stopped: 'timeout' | 'output' | null;
}

export interface CommandOptions {
  /** The folder in which the program runs. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  timeout: number;
  /** Standard input of the program (default: nothing). */
  input?: string;
}

/**
 * The words of a command: separated by white space; quotes keep it. Nothing is expanded, and no shell is started.
 * @throws AppregError `option-invalid` for a command without a word, or with a quote that is not closed
 */
export function commandWords(text: string): string[] {
  const words = [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word);
  const rest = text.replaceAll(/"[^"]*"|'[^']*'/g, '');
  if (words.length > 0 && !/["']/.test(rest))
    return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
  throw new AppregError(
    'option-invalid',
    message`Invalid --command “${text}”. Expected a program, with its arguments.`,
    message`Write it as in a shell, such as --command "python3 validator.py".`,
  );
}

/**
 * Runs a program until it ends.
 * @param words the program and its arguments
 * @throws AppregError `command-not-started` if the program cannot be started
 */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  { cwd, env, timeout, input = '' }: CommandOptions,
): Promise<CommandResult> {
  const child = spawn(program, args, { cwd, env, stdio: 'pipe', windowsHide: true });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let stopped: CommandResult['stopped'] = null;
  let read = 0;
  const stop = (why: 'timeout' | 'output'): void => {
    stopped ??= why;
    child.kill('SIGKILL');
    // Programs that it started may keep them open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(() => stop('timeout'), timeout);
  const collect = (into: Buffer[]) => (chunk: Buffer) => {
    read += chunk.length;
    if (read > LARGEST_OUTPUT) stop('output');
    else into.push(chunk);
  };
  // A program may end without reading its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  child.stdout.on('data', collect(stdout));
  child.stderr.on('data', collect(stderr));
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (...ending) => resolve(ending));
    });
    return { code, signal, stdout: textOf(stdout), stderr: textOf(stderr), stopped };
  } catch (error) {
    throw new AppregError(
      'command-not-started',
      message`The program “${program}” of --command cannot be started: ${error instanceof Error ? error.message : String(error)}.`,
      message`Check its path and its permissions.`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
