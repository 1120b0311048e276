import { Command } from 'commander';

/** A command line that lacks required arguments. */
export class MissingArguments extends Error {
  readonly command: Command;
  /** As in the usage of the command, without brackets. */
  readonly names: readonly string[];

  constructor(command: Command) {
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
    this.command.error(`error: ${this.message}`, { code: 'commander.missingArgument' });
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

  /** Called by the parser. @throws MissingArguments */
  missingArgument(): never {
    throw new MissingArguments(this);
  }
}
