import { Command } from 'commander';
import { didYouMean } from '../../core/text/similar-names.ts';
import { counted, printable, shorten } from '../../core/text/text.ts';

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

  /** Called by the parser. @throws CommanderError */
  _excessArguments(words: readonly string[]): never {
    const name = commandName(this);
    const expected = this.registeredArguments.length;
    const [first = ''] = words;
    const names = this.commands.map((one) => one.name());
    if (names.length === 0)
      this.error(
        `error: too many arguments for '${name}'. Expected ${counted(expected, 'argument')} but got ${words.length}.`,
        { code: 'commander.excessArguments' },
      );
    const shown = `'${name} ${shorten(printable(first), 80)}'`;
    const commands = [name, ...names.map((one) => `${name} ${one}`)].join(', ');
    this.error(`error: unknown command ${shown}.${didYouMean(first, names)} The commands are: ${commands}`, {
      code: 'commander.unknownCommand',
    });
  }
}
