import { type SafeText, message } from '../../core/text/message.ts';
import { Command, type ErrorOptions, type HelpContext, type Option, type ParseOptionsResult } from 'commander';
import { AppregError } from '../../core/errors/error.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { counted, printableExcerpt } from '../../core/text/text.ts';
import { type CommandDefinition, flagOf } from '../define/command.ts';
import { optionWithoutValue } from '../io/option-words.ts';

/** A command line that lacks required arguments. */
export class MissingArguments extends Error {
  readonly command: PromptingCommand;
  readonly definition: CommandDefinition;
  /** As in the usage of the command, without brackets. */
  readonly names: readonly string[];

  constructor(command: PromptingCommand, definition: CommandDefinition) {
    const names = command.registeredArguments
      .slice(command.args.length)
      .filter(({ required }) => required)
      .map((argument) => argument.name());
    super(`Missing argument${names.length === 1 ? '' : 's'}: ${names.map((name) => `<${name}>`).join(' ')}.`);
    this.command = command;
    this.definition = definition;
    this.names = names;
  }

  /** @throws AppregError `usage` */
  refuse(): never {
    throw this.command.usageError(message`${this.message}`);
  }
}

/** The name of a command as in its definition: `add-app`, `service backup`. */
export function commandName(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${commandName(parent)} ${command.name()}`;
}

/** A command that can prompt for its missing arguments; its errors are AppregErrors. */
export class PromptingCommand extends Command {
  /** Null for the program itself, and for `help`. */
  definition: CommandDefinition | null = null;

  override createCommand(name?: string): PromptingCommand {
    return new PromptingCommand(name);
  }

  /** An error of the command line, whose next step is the help of this command. */
  usageError(summary: SafeText): AppregError {
    const isProgram = this.parent === null;
    const hint = isProgram
      ? message`appreg --help lists the commands and the global options.`
      : message`appreg ${commandName(this)} --help shows its usage.`;
    return new AppregError('usage', summary, hint);
  }

  /** Called by the parser, which would take any word as the value. @throws AppregError `usage` */
  override parseOptions(words: string[]): ParseOptionsResult {
    const missing = optionWithoutValue(this, words);
    if (missing === null) return super.parseOptions(words);
    const { flags, next } = missing;
    throw new AppregError(
      'usage',
      message`The value of ${flags} is missing: “${quoted(next)}” follows.`,
      message`In a pipeline, check that its variable is set. To use that as the value, write ${flagOf(missing)}=VALUE.`,
    );
  }

  /** Called by the parser. @throws MissingArguments, or AppregError for any other error of the command line */
  override error(summary: string, options?: ErrorOptions): never {
    const { definition } = this;
    if (options?.code === 'commander.missingArgument' && definition !== null)
      throw new MissingArguments(this, definition);
    if (options?.code !== 'commander.excessArguments')
      throw this.usageError(message`${summary.replace(/^error: /, '')}`);
    throw this.commands.length === 0 ? this.tooManyArguments() : this.unknownCommandError();
  }

  /** Called by the parser. */
  unknownCommand(): never {
    throw this.unknownCommandError();
  }

  /** Called by the parser. */
  unknownOption(flag: string): never {
    const known = this.createHelp()
      .visibleOptions(this)
      .flatMap(({ long }) => long ?? []);
    throw this.usageError(message`Unknown option “${quoted(flag)}”.${didYouMean(flag, known)}`);
  }

  /** Called by the parser. */
  optionMissingArgument({ flags }: Option): never {
    throw this.usageError(message`The value of ${flags} is missing.`);
  }

  /** Called by the parser. */
  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context !== 'object' || !context.error) return super.help();
    this.outputHelp(context);
    throw this.usageError(message`The command is missing.`);
  }

  private tooManyArguments(): AppregError {
    const expected = counted(this.registeredArguments.length, 'argument');
    return this.usageError(
      message`Too many arguments: ${commandName(this)} takes ${expected}, not ${this.args.length}.`,
    );
  }

  private unknownCommandError(): AppregError {
    const isProgram = this.parent === null;
    const prefix = isProgram ? '' : `${commandName(this)} `;
    const names = this.commands.map((one) => `${prefix}${one.name()}`);
    const list = isProgram ? '' : ` The commands are: ${prefix.trim()}, ${names.join(', ')}.`;
    const given = `${prefix}${this.args[0] ?? ''}`;
    return this.usageError(message`Unknown command “${quoted(given)}”.${didYouMean(given, names)}${list}`);
  }
}

function quoted(text: string): string {
  return printableExcerpt(text, 80);
}
