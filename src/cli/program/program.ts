import { Argument, type Command, CommanderError, Option } from 'commander';
import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors/error.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { VERSION } from '../../core/values/tool-version.ts';
import type { Choices } from '../define/choices.ts';
import {
  type CommandDefinition,
  flagOf,
  type NumberOption,
  type OptionDefinition,
  type OptionDefinitions,
  type ValueKind,
} from '../define/command.ts';
import { type Command as RunnableCommand, COMMANDS } from '../commands/index.ts';
import type { GlobalOptions } from '../io/invocation.ts';
import { formatHelp } from './help.ts';
import { addHelpCommand } from './help-command.ts';
import { PromptingCommand } from './missing-arguments.ts';
import { HELP_FLAGS, VERSION_FLAGS } from '../io/option-words.ts';
import { columns, toStderr, toStdout } from '../io/streams.ts';
import { globalOptions } from '../define/option-groups.ts';

/** A command with its arguments. */
export interface Requested {
  command: RunnableCommand;
  options: GlobalOptions;
  args: readonly unknown[];
}

/** A command line that cannot be run. */
interface Refused {
  /** AppregError, or MissingArguments. */
  error: unknown;
}

export type Parsed = Requested | Refused;

/** Parses a command line; prints the help and the version. @returns what to run; null after the help was printed */
export function parse(words: readonly string[]): Parsed | null {
  let requested: Requested | null = null;
  const program = buildProgram(words, (command) => {
    requested = command;
  });
  try {
    refuseInvalidText(words);
    program.parse(words, { from: 'user' });
    return requested;
  } catch (error) {
    return error instanceof CommanderError ? null : { error };
  }
}

/**
 * No system passes such words, but other programs can. Nothing after the parser has to expect them.
 * @throws AppregError `usage`
 */
function refuseInvalidText(words: readonly string[]): void {
  const word = words.find((one) => one.includes('\0') || /\p{Surrogate}/u.test(one));
  if (word === undefined) return;
  throw new AppregError(
    'usage',
    message`The command line contains ${word.includes('\0') ? 'a NUL character' : 'half of a surrogate pair'}: “${safeExcerpt(word, 80)}”.`,
    message`Give a valid text.`,
  );
}

/**
 * The program with all its commands.
 * @param words of the command line: commands that none of them names are created without options, which take longer to
 * create than Node takes to load all this; null for all of them
 * @param onRequest called with the requested command
 */
export function buildProgram(
  words: readonly string[] | null,
  onRequest: (requested: Requested) => void = () => {},
): Command {
  const program = new PromptingCommand('appreg')
    .description('Author, lint, publish and verify app registries.')
    .version(VERSION, VERSION_FLAGS)
    .helpOption(HELP_FLAGS)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: toStdout,
      writeErr: toStderr,
      getOutHelpWidth: () => columns(1),
      getErrHelpWidth: () => columns(2),
      // The output has no colors.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ formatHelp });
  addOptions(program, globalOptions, 'appreg');
  for (const command of COMMANDS) {
    const { definition } = command;
    const added = addCommand(program, definition, (options, args) => onRequest({ command, options, args }));
    if (words === null || definition.name.split(' ').every((word) => words.includes(word))) {
      addOptions(added, definition.options, `appreg ${definition.name}`);
      addOptions(added, optionsWithFormats(definition), `appreg ${definition.name}`);
    }
  }
  addOptions(addHelpCommand(program), globalOptions, 'appreg help');
  return program;
}

/** Adds a command, without options; a subcommand to its command, which is the first word of its name. */
function addCommand(
  program: PromptingCommand,
  definition: CommandDefinition,
  onRequest: (options: GlobalOptions, args: readonly unknown[]) => void,
): Command {
  const { name, description, arguments: declared } = definition;
  const [first = '', second] = name.split(' ');
  const parent = second === undefined ? program : program.commands.find((one) => one.name() === first);
  if (parent === undefined) throw new Error(`The command of ${name} must be added before it.`);
  // It inherits the settings of its parent.
  const command = parent.command(second ?? first).description(description);
  if (command instanceof PromptingCommand) command.definition = definition;
  for (const { usage } of declared) command.addArgument(new Argument(usage));
  return command.action(() => {
    const options = command.optsWithGlobals<GlobalOptions>();
    // The program's own default would override an option after the command's name.
    if (command.opts<GlobalOptions>().color === false) options.color = false;
    for (const [index, { usage, value }] of declared.entries())
      refuseEmptyPlace(
        `The argument ${usage}`,
        value,
        command.args.slice(index, usage.includes('...') ? undefined : index + 1),
      );
    onRequest(options, command.processedArgs);
  });
}

/** The global options, with the formats that a command has. */
function optionsWithFormats({ formats }: CommandDefinition): OptionDefinitions {
  const { format } = globalOptions;
  const names = `${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`;
  return {
    ...globalOptions,
    format: { ...format, description: `format of the results: ${names} (default: ${formats[0]})` },
  };
}

function addOptions(command: Command, definitions: OptionDefinitions, words: string): void {
  for (const [name, definition] of Object.entries(definitions)) command.addOption(optionFor(name, definition, words));
}

/** @param words the command line, up to the command */
function optionFor(name: string, definition: OptionDefinition, words: string): Option {
  const option = new Option(definition.flags, definition.description);
  option.attributeName = () => name;
  const invalid = (value: string, problem: string): AppregError =>
    new AppregError(
      'option-invalid',
      message`Invalid ${flagOf(definition)} “${safeExcerpt(value, 80)}”. ${problem}`,
      message`${words} --help describes the options.`,
    );
  const check = (value: string): string => {
    if ('value' in definition) refuseEmptyPlace(flagOf(definition), definition.value, [value]);
    if (!('value' in definition) || typeof definition.value === 'string' || definition.value.includes(value))
      return value;
    throw invalid(value, `Use one of: ${definition.value.join(', ')}.${didYouMean(value, definition.value)}`);
  };
  if (definition.type === 'string') option.argParser(check);
  if (definition.type === 'list')
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), check(value)]);
  if (definition.type === 'number')
    option.argParser((value: string) => {
      const { accepts, problem } = NUMBERS[definition.range];
      if (!accepts(value)) throw invalid(value, problem);
      return Number(value);
    });
  return option;
}

/** The kinds of values that are a path or a URL. */
const PLACE = /^(file|folder|archive|registry|.*url)/;

/** An empty path would be the current folder: files elsewhere were meant. @throws AppregError `option-invalid` */
function refuseEmptyPlace(name: string, kind: ValueKind | Choices, values: readonly string[]): void {
  if (typeof kind !== 'string' || !PLACE.test(kind) || values.every((value) => value.trim() !== '')) return;
  const path = kind === 'registry-state' ? 'a folder, a file or a git ref' : 'a path';
  throw new AppregError(
    'option-invalid',
    message`${name} is empty.`,
    message`Give ${kind.includes('url') ? 'a URL' : path}; in a pipeline, check that its variable is set.`,
  );
}

const NUMBERS: Record<NumberOption['range'], { accepts(value: string): boolean; problem: string }> = {
  whole: { accepts: isWhole, problem: 'Expected a whole number.' },
  positive: {
    accepts: (value) => Number(value) > 0 && Number.isFinite(Number(value)),
    problem: 'Expected a number above 0.',
  },
  // As the setting verify.concurrency.
  connections: {
    accepts: (value) => isWhole(value) && Number(value) >= 1 && Number(value) <= 256,
    problem: 'Expected a whole number from 1 to 256.',
  },
  port: {
    accepts: (value) => isWhole(value) && Number(value) <= 65535,
    problem: 'Expected a port from 0 to 65535.',
  },
};

function isWhole(value: string): boolean {
  return /^\d{1,9}$/.test(value);
}
