import { message } from '../../core/text/message.ts';
import { resolve } from 'node:path';
import { printable } from '../../core/text/text.ts';
import { isAppregError } from '../../core/errors/error.ts';
import { VERSION } from '../../core/values/tool-version.ts';
import { SIGNAL_EXIT } from '../../platform/stop-signals.ts';
import { stopRequested } from '../../store/interrupt.ts';
import { type Journal, newJournal } from '../../store/journal.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { CommandDefinition } from '../define/command.ts';
import type { Context } from '../config/context.ts';
import type { GlobalOptions } from '../io/invocation.ts';
import { endUnlessIdle, messageAtExit, secondSignal, withStoreState } from './ending.ts';
import { MissingArguments, commandName } from '../program/missing-arguments.ts';
import { withoutSystemError } from '../io/failed-run.ts';
import { writeOutputFile } from '../io/output-file.ts';
import { type Output, outputsOf } from '../io/results.ts';
import { otherRuntime } from '../../platform/runtime.ts';
import { parse, type Parsed, type Requested } from '../program/program.ts';
import { toStderr, toStdout } from '../io/streams.ts';
import { superviseCommand } from './supervise.ts';
import { errorText, openTerminal } from '../io/terminal.ts';

/** The state of a run, in addition to its command's. */
interface Run {
  words: readonly string[];
  journal: Journal;
  /** True once the command printed its result. */
  printed: boolean;
  /** True once the run's last document is being printed. */
  ended: boolean;
}

/**
 * Runs a command, and reports its failure; never throws. The process is ended explicitly only if an abandoned command
 * keeps it alive, or at a second signal.
 * @param words the command line
 * @returns the exit code
 */
export async function run(words: readonly string[], parsed: Parsed): Promise<number> {
  const state: Run = { words, journal: newJournal(), printed: false, ended: false };
  try {
    let code = 0;
    const work = async (): Promise<void> => {
      code = await runParsed(words, parsed, state);
    };
    await superviseCommand(work, { journal: state.journal, onWaiting, onSecond: secondSignal(state.journal) });
    return await exitCodeOf(code, state);
  } catch (error) {
    return await reportFailure(error, state);
  }
}

/**
 * Runs the requested command; prompts for missing arguments at a terminal.
 * @returns the exit code; 130 if the user cancelled
 * @throws what the command throws, and the errors of the command line
 */
async function runParsed(words: readonly string[], parsed: Parsed | null, state: Run): Promise<number> {
  if (parsed === null) return 0;
  if (!('error' in parsed)) return runRequested(parsed, state);
  const { error } = parsed;
  if (!(error instanceof MissingArguments)) throw error;
  const { command, definition, names } = error;
  const context = await contextFor(definition, command.optsWithGlobals<GlobalOptions>(), state);
  if (!context.terminal.interactive) error.refuse();
  const { promptForArguments } = await import('../program/prompt-arguments.ts');
  const answers = await promptForArguments(context, commandName(command), names.length);
  if (answers === null) return 130;
  const all = [...words, ...(words.includes('--') ? [] : ['--']), ...answers];
  return runParsed(all, parse(all), state);
}

async function runRequested({ command: { definition, load }, options, args }: Requested, state: Run): Promise<number> {
  const context = await contextFor(definition, options, state);
  if (otherRuntime() !== null)
    (await import('./network-use.ts')).requireNodeForNetwork({ definition, options: { ...options }, args });
  const outputs = outputsOf(options, definition, context.cwd);
  if (outputs.some(({ file }) => file !== null)) {
    const { requireWritableOutputs } = await import('../config/output-conflicts.ts');
    requireWritableOutputs(outputs, definition, args, context);
  }
  const action = await load();
  return action(context, ...args, options);
}

function onWaiting(): void {
  toStderr(errorText(message`Interrupted; finishing the current write first.`));
}

/** The exit code of a completed command, which a signal may have set. */
async function exitCodeOf(code: number, state: Run): Promise<number> {
  const signal = stopRequested();
  if (signal !== null && code === 0) toStderr(errorText(messageAtExit(signal, state.journal)));
  const exit = signal !== null && (code === 0 || code === 130) ? SIGNAL_EXIT[signal] : code;
  if (exit > 128 && !state.printed) await printFailure(null, exit, state);
  return exit;
}

async function reportFailure(thrown: unknown, state: Run): Promise<number> {
  state.ended = true;
  const error = withStoreState(withoutSystemError(thrown), state.journal);
  const code = printError(error, state.words.includes('--verbose'));
  if (code !== 0 && !state.printed) await printFailure(error, code, state);
  if (!isAppregError(error) || error.exit > 128) endUnlessIdle(code);
  return code;
}

/** With a machine format, stdout always holds one document. */
async function printFailure(error: unknown, code: number, state: Run): Promise<void> {
  if (!state.words.some((word) => /^--(format|output|report)/.test(word))) return;
  const { failureDocument, reportAborted, requestIn } = await import('./failure.ts');
  const { command, main: requested, reports } = requestIn(state.words);
  for (const output of requested === null ? reports : [requested, ...reports]) {
    const document = failureDocument(command, output, error ?? reportAborted(code), state.journal);
    if (document !== null) print(`${document}\n`, output, output === requested);
  }
}

/** @param isMain false for a report in addition to the result */
function print(text: string, { file, format }: Output, isMain: boolean): void {
  if (file === null) return toStdout(text);
  try {
    writeOutputFile(file, text);
  } catch (error) {
    // Usually the error that the document is about.
    if (!isAppregError(error)) throw error;
    if (isMain && format !== 'pretty') toStdout(text);
  }
}

/** Prints usage errors and AppregErrors in a line or two, and internal errors with their stack. Always to stderr. */
function printError(error: unknown, verbose: boolean): number {
  if (isAppregError(error)) {
    toStderr(errorText(error.message, error.hint));
    if (verbose && error.stack) toStderr(`${printableLines(error.stack)}\n`);
    return error.exit;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const summary = message`Internal error in appreg ${VERSION}.`;
  toStderr(`${errorText(summary, message`Please report it with the following stack.`)}${printableLines(stack)}\n`);
  return 2;
}

/** A stack may quote untrusted input. */
function printableLines(stack: string): string {
  return stack.split('\n').map(printable).join('\n');
}

async function contextFor(command: CommandDefinition, options: GlobalOptions, state: Run): Promise<Context> {
  const cwd = resolve(options.cwd ?? '.');
  const env = process.env;
  const terminal = await openTerminal({
    quiet: options.quiet === true,
    verbose: options.verbose === true,
    color: options.color === false ? false : null,
    yes: options.yes === true,
    env,
  });
  const print = terminal.out.bind(terminal);
  terminal.out = (text, file) => {
    // An abandoned command may still complete.
    if (state.ended) return;
    print(text, file);
    state.printed = true;
  };
  return {
    command,
    cwd,
    options,
    terminal,
    env,
    journal: state.journal,
    config: configReader({ cwd, options, terminal, env }),
  };
}

/** Reads each configuration once, and names those of its folder that have no effect. */
function configReader({
  cwd,
  options,
  terminal,
  env,
}: Pick<Context, 'cwd' | 'options' | 'terminal' | 'env'>): Context['config'] {
  const file = options.config === undefined ? null : resolve(cwd, options.config);
  const loaded = new Map<string, Promise<LoadedConfig>>();
  const load = async (from: string): Promise<LoadedConfig> => {
    const { loadConfig } = await import('../config/config.ts');
    const config = await loadConfig({ from, file, env });
    const { file: used, unused = [] } = config;
    if (used !== null && unused.length > 0)
      terminal.log(message`${used} is used as the configuration, and not ${unused.join(', ')} in the same folder.`);
    return config;
  };
  return async (from = cwd) => {
    const before = loaded.get(from);
    if (before !== undefined) return before;
    const reading = load(from);
    loaded.set(from, reading);
    return reading;
  };
}
