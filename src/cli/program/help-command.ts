import type { Command } from 'commander';
import { message } from '../../core/text/message.ts';
import { didYouMeanAny } from '../../core/text/similar-names.ts';
import { printableExcerpt } from '../../core/text/text.ts';
import { GROUP_NAMES, type GroupName, GROUPS } from '../define/groups.ts';
import { columns, toStdout } from '../io/streams.ts';
import { formatGroup } from './help.ts';
import { commandName, type PromptingCommand } from './missing-arguments.ts';

/** `appreg help [command|group]`: the help of the program, of a command, or of a group of commands. */

/**
 * Adds `help`, which has no definition: it prints without a context, like `--help`.
 * @param program with all its commands
 * @returns the command, without options
 */
export function addHelpCommand(program: PromptingCommand): Command {
  return program
    .helpCommand(false)
    .command('help')
    .description('show the help of a command, or of a group of commands')
    .argument('[command|group...]')
    .action((words: string[]) => printHelp(program, words));
}

/**
 * Prints the help of what the words name.
 * @throws AppregError `usage` if that is unknown; CommanderError after the help of a command
 */
function printHelp(program: PromptingCommand, words: readonly string[]): void {
  const name = words.join(' ');
  const commands = program.commands.flatMap((one) => [one, ...one.commands]);
  const command = name === '' ? program : commands.find((one) => commandName(one) === name);
  if (command !== undefined) command.help();
  const group = groupNamed(name);
  if (group === undefined) {
    const known = [...commands.map(commandName), ...GROUP_NAMES];
    throw program.usageError(
      message`Unknown command or group “${printableExcerpt(name, 80)}”.${didYouMeanAny(name, known)}`,
    );
  }
  toStdout(formatGroup(group, columns(1)));
}

/** @param name the first word of a group's title, or all of it, in any case */
function groupNamed(name: string): GroupName | undefined {
  const lowercase = name.toLowerCase();
  return GROUP_NAMES.find((one) => one === lowercase || GROUPS[one].title.toLowerCase() === lowercase);
}
