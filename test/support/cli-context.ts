import type { Context, GlobalOptions } from '../../src/cli/context.ts';
import { PLAIN } from '../../src/report/style.ts';

/** What a command printed, by the method of the terminal. */
export interface Printed {
  out: string[];
  log: string[];
  detail: string[];
  next: string[];
  progress: string[];
  item: string[];
}

export interface CliContextOptions {
  cwd: string;
  options?: GlobalOptions;
  env?: NodeJS.ProcessEnv;
  /** Default: an empty configuration whose root is `cwd`. */
  config?: Context['config'];
  /** The streams of an interactive terminal. */
  dialog?: Context['terminal']['dialog'];
}

/** The context of a command that runs in this process and prints into arrays. */
export function cliContext({ cwd, options = {}, env = {}, config, dialog }: CliContextOptions): Context & {
  printed: Printed;
} {
  const printed: Printed = { out: [], log: [], detail: [], next: [], progress: [], item: [] };
  return {
    cwd,
    options,
    env,
    printed,
    terminal: {
      interactive: dialog !== undefined,
      style: PLAIN,
      errStyle: PLAIN,
      annotate() {},
      out: (text) => void printed.out.push(text),
      log: (text) => void printed.log.push(text),
      detail: (text) => void printed.detail.push(text),
      next: (text) => void printed.next.push(text),
      item: (text) => void printed.item.push(text),
      progress: () => ({ update: (text) => void printed.progress.push(text), stop() {} }),
      ...(dialog && { dialog }),
    },
    config: config ?? (async () => ({ config: {}, file: null, root: cwd })),
  };
}
