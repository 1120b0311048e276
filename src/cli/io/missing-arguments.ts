import { Command, type ErrorOptions } from 'commander';
import { didYouMean } from '../../core/text/similar-names.ts';
import { counted, printable, shorten } from '../../core/text/text.ts';

/** A command line that lacks required arguments. */
export class MissingArguments extends Error {
  readonly command: PromptingCommand;
  /** As in the usage of the command, without brackets. */
  readonly names: readonly string[];

  constructor(command: PromptingCommand) {
    const names = command.registeredArguments
      .slice(command.args.length)
      .filter(({ required }) => required)
      .map((argument) => argument.name());
    const quoted = names.map((name) => `'${name}'`).join(', ');
    super(`missing required argument${names.length === 1 ? '' : 's'} ${quoted}`);
    this.command = command;
    this.names = names;
  }

  /** Prints the usage error. @throws CommanderError */
  refuse(): never {
    this.command.refuse(this.message);
  }
}

/** The name of a command as in its definition: `add-app`, `service backup`. */
export function commandName(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${commandName(parent)} ${command.name()}`;
}

/** A command that can prompt for its missing arguments. */
export class PromptingCommand extends Command {
  override createCommand(name?: string): PromptingCommand {
    return new PromptingCommand(name);
  }

  /** Called by the parser. @throws MissingArguments, or CommanderError for any other error of the command line */
  override error(message: string, options?: ErrorOptions): never {
    if (options?.code === 'commander.missingArgument') throw new MissingArguments(this);
    if (options?.code !== 'commander.excessArguments') return super.error(message, options);
    const names = this.commands.map((one) => one.name());
    return names.length === 0 ? this.tooManyArguments() : this.unknownSubcommand(names);
  }

  /** Prints a usage error. @throws CommanderError */
  refuse(message: string): never {
    return super.error(`error: ${message}`);
  }

  private tooManyArguments(): never {
    const expected = counted(this.registeredArguments.length, 'argument');
    return this.refuse(
      `too many arguments for '${commandName(this)}'. Expected ${expected} but got ${this.args.length}.`,
    );
  }

  private unknownSubcommand(names: readonly string[]): never {
    const name = commandName(this);
    const [first = ''] = this.args;
    const shown = `'${name} ${shorten(printable(first), 80)}'`;
    const commands = [name, ...names.map((one) => `${name} ${one}`)].join(', ');
    return this.refuse(`unknown command ${shown}.${didYouMean(first, names)} The commands are: ${commands}`);
  }
}
