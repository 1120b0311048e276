import { settingsOf } from '../../src/cli/config/config.ts';
import type { Context } from '../../src/cli/config/context.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import { writeOutputFile } from '../../src/cli/io/output-file.ts';
import { FORMATS } from '../../src/report/options.ts';
import { PLAIN } from '../../src/report/style.ts';

/** Output of a command, by the method of the terminal. */
export interface Printed {
  out: string[];
  error: string[];
  log: string[];
  detail: string[];
  next: string[];
  progress: string[];
}

export interface CliContextOptions {
  cwd: string;
  /** Default: a command with all formats. */
  command?: Context['command'];
  options?: GlobalOptions;
  env?: NodeJS.ProcessEnv;
  /** Default: an empty configuration whose root is `cwd`. */
  config?: Context['config'];
  /** The streams of an interactive terminal. */
  dialog?: Context['terminal']['dialog'];
}

/** The context of a command that runs in this process and prints into arrays. */
export function cliContext({
  cwd,
  command = { name: 'test', formats: FORMATS },
  options = {},
  env = {},
  config,
  dialog,
}: CliContextOptions): Context & {
  printed: Printed;
} {
  const printed: Printed = { out: [], error: [], log: [], detail: [], next: [], progress: [] };
  return {
    command,
    cwd,
    options,
    env,
    printed,
    terminal: {
      interactive: dialog !== undefined,
      style: PLAIN,
      errStyle: PLAIN,
      annotate() {},
      out(text, file = null) {
        if (file === null) printed.out.push(text);
        else writeOutputFile(file, `${text}\n`);
      },
      error: (message, hint) => void printed.error.push(hint === undefined ? message : `${message}\n  ${hint}`),
      log: (text) => void printed.log.push(text),
      detail: (text) => void printed.detail.push(text),
      next: (text) => void printed.next.push(text),
      progress: () => ({ update: (text) => void printed.progress.push(text()), stop() {} }),
      ...(dialog && { dialog }),
    },
    config: config ?? (async () => settingsOf({}, null, cwd)),
  };
}
