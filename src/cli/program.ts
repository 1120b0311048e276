import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { VERSION } from '../core/tool-version.ts';
import type { CommandDefinition, NumberOption, OptionDefinition, OptionDefinitions } from './command-definition.ts';
import { type Command as CommandEntry, COMMANDS } from './commands/index.ts';
import type { GlobalOptions } from './context.ts';
import { PromptingCommand } from './io/missing-arguments.ts';
import { columns, toStderr, toStdout } from './io/streams.ts';
import { globalOptions } from './option-groups.ts';

/** Runs a command with its arguments. */
export type RunCommand = (command: CommandEntry, options: GlobalOptions, args: readonly unknown[]) => Promise<void>;

/**
 * The program with all its commands.
 * @param run called with the requested command
 * @param words of the command line: commands that none of them names are created without options, which take longer to
 * create than Node takes to load all this; null for all of them
 */
export function buildProgram(run: RunCommand, words: readonly string[] | null): Command {
  const program = new PromptingCommand('appreg')
    .description('Author, lint, publish and verify app registries.')
    .version(VERSION)
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
    // The default term, independent of whether a command has its options.
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .showHelpAfterError('(appreg --help lists the commands)')
    .addHelpText('after', '\nStart with: appreg init my-registry --base-url https://apps.example.com/');
  addOptions(program, globalOptions);
  for (const entry of COMMANDS) {
    const { definition } = entry;
    const command = addCommand(program, definition, (options, args) => run(entry, options, args));
    if (words === null || definition.name.split(' ').every((word) => words.includes(word)))
      addDetails(command, definition);
  }
  return program;
}

/** Adds a command, without options; a subcommand to its command, which is the first word of its name. */
function addCommand(
  program: Command,
  { name, description, arguments: declared }: CommandDefinition,
  run: (options: GlobalOptions, args: readonly unknown[]) => Promise<void>,
): Command {
  const [first = '', second] = name.split(' ');
  const parent = second === undefined ? program : program.commands.find((one) => one.name() === first);
  if (parent === undefined) throw new Error(`The command of ${name} must be added before it.`);
  // It inherits the settings of its parent.
  const command = parent.command(second ?? first).description(description);
  for (const { usage } of declared) command.addArgument(new Argument(usage));
  command.showHelpAfterError(`(appreg ${name} --help shows its usage)`);
  return command.action(() => {
    const options = command.optsWithGlobals<GlobalOptions>();
    // The program's own default would override an option after the command's name.
    if (command.opts<GlobalOptions>().color === false) options.color = false;
    return run(options, command.processedArgs);
  });
}

function addDetails(command: Command, { options, notes, examples }: CommandDefinition): void {
  addOptions(command, globalOptions);
  addOptions(command, options);
  if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
  if (examples.length > 0)
    command.addHelpText('after', ['\nExamples:', ...examples.map((words) => `  appreg ${words}`)].join('\n'));
}

function addOptions(command: Command, definitions: OptionDefinitions): void {
  for (const [name, definition] of Object.entries(definitions)) command.addOption(optionFor(name, definition));
}

function optionFor(name: string, definition: OptionDefinition): Option {
  const option = new Option(definition.flags, definition.description);
  option.attributeName = () => name;
  if (definition.type === 'list') option.argParser(collect);
  if (definition.type === 'number') option.argParser(NUMBERS[definition.range]);
  return option;
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

const NUMBERS = { whole, positive, port } satisfies Record<NumberOption['range'], (value: string) => number>;

function whole(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(value);
}

function positive(value: string): number {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('Expected a number above 0.');
  return number;
}

function port(value: string): number {
  const number = whole(value);
  if (number > 65535) throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return number;
}
