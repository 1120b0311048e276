import type { LoadedConfig } from './config/config.ts';
import type { Journal } from '../store/journal.ts';
import type { Terminal } from './io/terminal.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  config?: string;
  cwd?: string;
  format?: string;
  output?: string;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
  yes?: boolean;
  maxWarnings?: number;
  rule?: string[];
}

/** What a command is given beside its own arguments. */
export interface Context {
  /** Absolute; what relative paths on the command line are relative to. */
  cwd: string;
  options: GlobalOptions;
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** What the run writes to a registry; absent where nobody reads it. */
  journal?: Journal;
  /** Searches for the configuration from `from` (default: cwd) upwards, once; see config.ts. */
  config(from?: string): Promise<LoadedConfig>;
}
