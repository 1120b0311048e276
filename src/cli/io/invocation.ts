import type { Terminal } from './terminal.ts';
import type { OptionValues, CommandDefinition } from '../define/command.ts';
import type { globalOptions } from '../define/option-groups.ts';

/** The options that every command takes. */
export type GlobalOptions = OptionValues<typeof globalOptions>;

/** The options of a command, as its definition declares them. */
export type OptionsOf<Definition extends Pick<CommandDefinition, 'options'>> = GlobalOptions &
  OptionValues<Definition['options']>;

/** The parts of a command's definition that results and messages need. */
export type CommandIdentity = Pick<CommandDefinition, 'name' | 'formats'>;

/** A command that runs, as prompts and results need it. */
export interface Invocation {
  command: CommandIdentity;
  /** Absolute; the base of relative paths on the command line. */
  cwd: string;
  options: GlobalOptions;
  terminal: Terminal;
}
