import type { Readable, Writable } from 'node:stream';
import type { Ora } from 'ora';
import { type SafeText } from '../../core/text/message.ts';
import { PLAIN, type Style } from '../../report/style.ts';
import type { Listener, Progress } from '../../workspace/listener.ts';
import { writeOutputFile } from './output-file.ts';
import { isTerminal, toStderr, toStdout } from './streams.ts';

/** The only access to stdout, stderr and the keyboard. */
export interface Terminal extends Listener {
  /** True if prompts are possible: both ends are terminals, and --yes is not set. */
  readonly interactive: boolean;
  /** Colours for stdout. */
  readonly style: Style;
  /** Colours for stderr. */
  readonly errStyle: Style;
  /** Writes a result and a line break to stdout, or to a file, which is replaced. */
  out(text: string, file?: string | null): void;
  /** Writes a line for the CI system that runs the command to stdout. */
  annotate(line: string): void;
  /** Writes a message to stderr; silent with --quiet. */
  log(text: SafeText): void;
  /** Writes an error to stderr, in the form of all errors; also with --quiet. */
  error(summary: SafeText, hint?: SafeText): void;
  /** Writes a message with --verbose only. */
  detail(text: SafeText): void;
  /** Suggests the next step after a command: to stderr, at a terminal only. */
  next(text: SafeText): void;
  /**
   * Progress of long operations: a spinner at a terminal, a plain line every few seconds elsewhere; silent with
   * --quiet.
   */
  progress(text: SafeText): Progress;
  /** The streams of prompts.ts, separate from the results. */
  readonly dialog?: { input: Readable; output: Writable };
}

export interface TerminalOptions {
  quiet: boolean;
  verbose: boolean;
  /** False for --no-color; null to decide by the stream and the environment. */
  color: boolean | null;
  yes: boolean;
  env: NodeJS.ProcessEnv;
}

export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { env } = options;
  const outIsTerminal = isTerminal(1);
  const errIsTerminal = isTerminal(2);
  const interactive = errIsTerminal && isTerminal(0) && !options.yes && !env['CI'];
  return {
    interactive,
    style: await styleFor(colorWanted(options, outIsTerminal)),
    errStyle: await styleFor(colorWanted(options, errIsTerminal)),
    out(text, file = null) {
      if (file === null) toStdout(`${text}\n`);
      else writeOutputFile(file, `${text}\n`);
    },
    annotate(line) {
      toStdout(`${line}\n`);
    },
    log(text) {
      if (!options.quiet) toStderr(`${text}\n`);
    },
    error: (summary, hint) => toStderr(errorText(summary, hint)),
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

/** NO_COLOR and FORCE_COLOR by their conventions; flags take precedence. */
function colorWanted(options: TerminalOptions, isTerminal: boolean): boolean {
  const { env } = options;
  if (options.color === false) return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0') return true;
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return isTerminal && env['TERM'] !== 'dumb';
}

/** The sixteen standard colours. Without colours, chalk is not loaded. */
async function styleFor(color: boolean): Promise<Style> {
  if (!color) return PLAIN;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}

// Shorter operations need no lines in a log.
const LINE_INTERVAL = 5000;

/** For logs: the latest line every few seconds, even if unchanged. */
function plainLines(text: SafeText): Progress {
  let line = (): SafeText => text;
  const timer = setInterval(() => toStderr(`${line()}\n`), LINE_INTERVAL);
  timer.unref();
  return {
    update(next) {
      line = next;
    },
    stop: () => clearInterval(timer),
  };
}

/** Ora takes 60 ms to load, so it is imported only for operations worth waiting for. */
function spinner(text: SafeText): Progress {
  let stopped = false;
  let line = (): SafeText => text;
  let spin: Ora | null = null;
  let refresh: NodeJS.Timeout | undefined;
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora');
    if (stopped) return;
    const shown = ora({ text: line(), stream: process.stderr, discardStdin: false }).start();
    spin = shown;
    refresh = setInterval(() => void (shown.text = line()), shown.interval);
    refresh.unref();
  }, 150);
  return {
    update(next) {
      line = next;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      clearInterval(refresh);
      spin?.stop();
    },
  };
}

/** An error as stderr shows it: what is wrong, and then what to do. */
export function errorText(summary: SafeText, hint: SafeText | null = null): string {
  return `appreg: ${summary}\n${hint === null ? '' : `  ${hint}\n`}`;
}
