import { writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { printable } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import { PLAIN, type Style } from '../../report/style.ts';
import type { Progress } from './spinner.ts';
import { isTerminal, toStderr, toStdout } from './streams.ts';

/** The only door to stdout, stderr and the keyboard. */
export interface Terminal {
  /** True when questions can be asked: a terminal on both ends, and no --yes. */
  readonly interactive: boolean;
  /** Colours for stdout. */
  readonly style: Style;
  /** Colours for stderr. */
  readonly errStyle: Style;
  /** A result line, to stdout, or to the file of --output. */
  out(text: string): void;
  /** A line for the CI system that runs the command, to stdout even with --output. */
  annotate(line: string): void;
  /** A remark, to stderr; silent with --quiet. */
  log(text: string): void;
  /** A remark for --verbose. */
  detail(text: string): void;
  /** The next step to take, after a command is done: to stderr, at a terminal only. */
  next(text: string): void;
  /** Progress on long work: a spinner at a terminal, a plain line every few seconds elsewhere; silent with --quiet. */
  progress(text: string): Progress;
  /** Where questions are asked and answered, for prompts.ts; results stay clean of them. */
  readonly dialog?: { input: Readable; output: Writable };
}

export interface TerminalOptions {
  quiet: boolean;
  verbose: boolean;
  /** False for --no-color; null to decide by the stream and the environment. */
  color: boolean | null;
  yes: boolean;
  output: string | null;
  env: NodeJS.ProcessEnv;
}

export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { env } = options;
  const outIsTerminal = options.output === null && isTerminal(1);
  const errIsTerminal = isTerminal(2);
  const interactive = errIsTerminal && isTerminal(0) && !options.yes && !env['CI'];
  return {
    interactive,
    style: await styleFor(colorWanted(options, outIsTerminal)),
    errStyle: await styleFor(colorWanted(options, errIsTerminal)),
    out: collector(options.output),
    annotate(line) {
      toStdout(`${line}\n`);
    },
    log(text) {
      if (!options.quiet) toStderr(`${text}\n`);
    },
    detail(text) {
      if (options.verbose) toStderr(`${text}\n`);
    },
    next(text) {
      if (errIsTerminal && !options.quiet) toStderr(`\nNext: ${text}\n`);
    },
    progress(text) {
      if (options.quiet) return { update() {}, stop() {} };
      return errIsTerminal ? spinner(text) : plainLines(text);
    },
    get dialog() {
      return { input: process.stdin, output: process.stderr };
    },
  };
}

/** NO_COLOR and FORCE_COLOR as their conventions say; a flag is stronger than both. */
function colorWanted(options: TerminalOptions, isTerminal: boolean): boolean {
  const { env } = options;
  if (options.color === false) return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0') return true;
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return isTerminal && env['TERM'] !== 'dumb';
}

/** Without colours, chalk is not even loaded. */
async function styleFor(color: boolean): Promise<Style> {
  if (!color) return PLAIN;
  const { COLORS } = await import('./colors.ts');
  return COLORS;
}

/** Lines to stdout as they come; with --output, the whole text to the file, begun anew by the first line. */
function collector(output: string | null): (text: string) => void {
  if (output === null) return (text) => toStdout(`${text}\n`);
  let flag: 'w' | 'a' = 'w';
  return (text) => {
    try {
      writeFileSync(output, `${text}\n`, { flag });
    } catch (error) {
      throw new AppregError(
        'output-failed',
        `The results cannot be written to ${printable(output)}: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
        'Name a file in a folder that exists and may be written to.',
        { cause: error },
      );
    }
    flag = 'a';
  };
}

// Work that is done sooner than this needs no lines in a log.
const LINE_EVERY = 5000;

/** For logs: the latest line every few seconds, whether something came in between or not. */
function plainLines(text: string): Progress {
  let line = text;
  const timer = setInterval(() => toStderr(`${printable(line)}\n`), LINE_EVERY);
  timer.unref();
  return {
    update(next) {
      line = next;
    },
    stop: () => clearInterval(timer),
  };
}

/** Ora takes 60 ms to load, so it is asked for only when something is worth waiting for. */
function spinner(text: string): Progress {
  let stopped = false;
  let line = text;
  let spin: Progress | null = null;
  const timer = setTimeout(async () => {
    const { startSpinner } = await import('./spinner.ts');
    if (!stopped) spin = startSpinner(line);
  }, 150);
  return {
    update(next) {
      line = next;
      spin?.update(next);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      spin?.stop();
    },
  };
}
