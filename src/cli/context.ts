import type { CommandDefinition, OptionValues } from './command-definition.ts';
import type { LoadedConfig } from './config/config.ts';
import type { Journal } from '../store/journal.ts';
import type { Terminal } from './io/terminal.ts';
import type { globalOptions } from './option-groups.ts';

/** The options that every command takes. */
export type GlobalOptions = OptionValues<typeof globalOptions>;

/** The options of a command, as its definition declares them. */
export type OptionsOf<Definition extends Pick<CommandDefinition, 'options'>> = GlobalOptions &
  OptionValues<Definition['options']>;

/** What results and messages have to know of the command that runs. */
export type CommandIdentity = Pick<CommandDefinition, 'name' | 'formats'>;

/** What a command receives in addition to its own arguments. */
export interface Context {
  command: CommandIdentity;
  /** Absolute; the base of relative paths on the command line. */
  cwd: string;
  options: GlobalOptions;
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** Records writes to a registry; absent if unused. */
  journal?: Journal;
  /** Searches for the configuration from `from` (default: cwd) upwards, once; see config.ts. */
  config(from?: string): Promise<LoadedConfig>;
}
