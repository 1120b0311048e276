import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { printable } from '../core/text.ts';
import { isTrouble } from '../core/trouble.ts';
import { VERSION } from '../core/tool.ts';
import type { Context, GlobalOptions } from './context.ts';
import { type Action, build } from './program.ts';
import { toStderr, toStdout } from './streams.ts';
import { openTerminal } from './terminal.ts';

/**
 * Runs the command line and returns the exit code; never throws, never ends the process.
 * @param argv as `process.argv`: the first two elements are skipped
 */
export async function main(argv: readonly string[]): Promise<number> {
  let code = 0;
  const run = async (load: () => Promise<Action>, options: GlobalOptions, args: readonly unknown[]): Promise<void> => {
    const action = await load();
    code = await action(await contextFor(options), ...args, options);
  };
  try {
    if (argv[2] === '__complete') {
      const { complete } = await import('./commands/complete.ts');
      toStdout(await complete(build(run, null), argv.slice(3)));
      return 0;
    }
    await build(run, argv.slice(2)).parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode !== 0) {
      const { misunderstood } = await import('./checks.ts');
      const report = misunderstood(argv.slice(2), error.message.replace(/^error: /, ''));
      if (report !== null) toStdout(`${report}\n`);
    }
    return tell(error, argv.includes('--verbose'));
  }
}

/** Usage errors and known trouble in a line or two; a defect of ours with its stack. Always to stderr. */
function tell(error: unknown, verbose: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (isTrouble(error)) {
    toStderr(`appreg: ${error.message}\n  ${error.hint}\n`);
    if (verbose && error.stack) toStderr(`${byLine(error.stack)}\n`);
    return error.exit;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  toStderr(`appreg ${VERSION} has a defect; please report it with what follows.\n${byLine(stack)}\n`);
  return 2;
}

/** A stack quotes what it stumbled over. */
function byLine(stack: string): string {
  return stack.split('\n').map(printable).join('\n');
}

async function contextFor(options: GlobalOptions): Promise<Context> {
  const cwd = resolve(options.cwd ?? '.');
  const env = process.env;
  const terminal = await openTerminal({
    quiet: options.quiet === true,
    verbose: options.verbose === true,
    color: options.color === false ? false : null,
    yes: options.yes === true,
    output: options.output === undefined ? null : resolve(cwd, options.output),
    env,
  });
  return {
    cwd,
    options,
    terminal,
    env,
    async config(from = cwd) {
      const { loadConfig } = await import('./config.ts');
      return loadConfig(from, options.config === undefined ? null : resolve(cwd, options.config), env);
    },
  };
}
