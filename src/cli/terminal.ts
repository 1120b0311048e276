import { writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { printable } from '../core/text.ts';
import { Trouble } from '../core/trouble.ts';
import { PLAIN, type Style } from '../report/style.ts';

interface Progress {
  /** One line that replaces the one before it. */
  update(text: string): void;
  stop(): void;
}

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
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', outputLost);
  const outIsTerminal = process.stdout.isTTY && options.output === null;
  const errIsTerminal = process.stderr.isTTY;
  const interactive = process.stdin.isTTY && errIsTerminal && !options.yes && !env['CI'];
  return {
    interactive,
    style: await styleFor(colorWanted(options, outIsTerminal)),
    errStyle: await styleFor(colorWanted(options, errIsTerminal)),
    out: collector(options.output),
    annotate(line) {
      process.stdout.write(`${line}\n`);
    },
    log(text) {
      if (!options.quiet) process.stderr.write(`${text}\n`);
    },
    detail(text) {
      if (options.verbose) process.stderr.write(`${text}\n`);
    },
    next(text) {
      if (errIsTerminal && !options.quiet) process.stderr.write(`\nNext: ${text}\n`);
    },
    progress(text) {
      if (options.quiet) return { update() {}, stop() {} };
      return errIsTerminal ? spinner(text) : plainLines(text);
    },
    dialog: { input: process.stdin, output: process.stderr },
  };
}

/** A reader that has read enough (`| head`) is no failure; a full disk is one, whatever the command had to say. */
function outputLost(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`appreg: The results cannot be written: ${error.code ?? 'unknown'}\n`);
  process.once('exit', () => {
    process.exitCode = 2;
  });
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
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}

/** Lines to stdout as they come; with --output, the whole text to the file, begun anew by the first line. */
function collector(output: string | null): (text: string) => void {
  if (output === null) return (text) => void process.stdout.write(`${text}\n`);
  let flag: 'w' | 'a' = 'w';
  return (text) => {
    try {
      writeFileSync(output, `${text}\n`, { flag });
    } catch (error) {
      throw new Trouble(
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
  const timer = setInterval(() => process.stderr.write(`${printable(line)}\n`), LINE_EVERY);
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
  let spin: { text: string; stop(): unknown } | null = null;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (!stopped) spin = ora({ text: printable(line), stream: process.stderr, discardStdin: false }).start();
  }, 150);
  return {
    update(next) {
      line = next;
      if (spin) spin.text = printable(next);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      spin?.stop();
    },
  };
}
