import type { Command, Help, Option } from 'commander';
import { COMMANDS } from '../commands/index.ts';
import type { CommandDefinition } from '../define/command.ts';
import { GROUP_NAMES, type GroupName, GROUPS } from '../define/groups.ts';
import { globalOptions } from '../define/option-groups.ts';
import { PromptingCommand } from './missing-arguments.ts';

/** The help of the program and of its commands. */

/** Descriptions that would be narrower follow their term on a line of their own. */
const MIN_WIDTH = 30;

/** The help of a command, wrapped at the width of the terminal: its own options first, the global ones last. */
export function formatHelp(command: Command, helper: Help): string {
  const width = helper.helpWidth ?? 80;
  const definition = command instanceof PromptingCommand ? command.definition : null;
  const options = helper.visibleOptions(command);
  const termWidth = Math.max(...options.map(({ flags }) => flags.length));
  const isGlobal = ({ flags, long }: Option): boolean =>
    GLOBAL.has(flags) || long === '--help' || (command.parent === null && long === '--version');
  const [own, global] = [options.filter((one) => !isGlobal(one)), options.filter(isGlobal)];
  return sectionsOf([
    [wrapped(`Usage: ${helper.commandUsage(command)}`, width, 2)],
    [wrapped(command.description(), width)],
    titled('Options:', itemLines(own.map(itemOf), width, termWidth)),
    ...(command.parent === null ? groupSections(width) : []),
    titled('Commands:', itemLines(subcommandsOf(definition).map(withArguments), width)),
    titled('Global options:', itemLines(global.map(itemOf), width, termWidth)),
    ...(definition?.notes === undefined ? [] : [[wrapped(definition.notes, width)]]),
    titled(
      'Examples:',
      (definition?.examples ?? []).map((words) => exampleLines(`appreg ${words}`, width)),
    ),
    ...(command.parent === null
      ? [[COMMAND_HELP, GROUP_HELP].map((line) => wrapped(line, width)), [wrapped(START, width, 2)]]
      : []),
  ]);
}

/** The help of a group: its purpose, and its commands with their subcommands and arguments. */
export function formatGroup(group: GroupName, width: number): string {
  const { title, purpose } = GROUPS[group];
  return sectionsOf([
    [`${title}:`, wrapped(purpose, width)],
    itemLines(DEFINITIONS.filter((one) => one.group === group).map(withArguments), width),
    [wrapped(COMMAND_HELP, width)],
  ]);
}

/** A section for each group, with a line for each command. */
function groupSections(width: number): string[][] {
  const commands = DEFINITIONS.filter(({ name }) => !name.includes(' '));
  const termWidth = Math.max(...commands.map(({ name }) => name.length));
  return GROUP_NAMES.map((group) => {
    const items = commands
      .filter((one) => one.group === group)
      .map(({ name, description }): Item => [name, description]);
    return [`${GROUPS[group].title}:`, ...itemLines(items, width, termWidth)];
  });
}

/** @param definition null for the program, and for `help` */
function subcommandsOf(definition: CommandDefinition | null): CommandDefinition[] {
  return DEFINITIONS.filter(({ name }) => name.startsWith(`${definition?.name} `));
}

/** A term and its description. */
type Item = [string, string];

const DEFINITIONS = COMMANDS.map(({ definition }) => definition);
const COMMAND_HELP = 'appreg help <command> shows the options of a command.';
const GROUP_HELP = `Groups (appreg help <group>): ${GROUP_NAMES.join(', ')}.`;
const START = 'Start with: appreg init my-registry --base-url https://apps.example.com/';
const GLOBAL: ReadonlySet<string> = new Set(Object.values(globalOptions).map(({ flags }) => flags));

function itemOf({ flags, description }: Option): Item {
  return [flags, description];
}

function withArguments({ name, arguments: declared, description }: CommandDefinition): Item {
  return [[name, ...declared.map(({ usage }) => usage)].join(' '), description];
}

function sectionsOf(sections: readonly (readonly string[])[]): string {
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

/** Descriptions in a column, or each below its term if the column would be too narrow. */
function itemLines(
  items: readonly Item[],
  width: number,
  termWidth = Math.max(...items.map(([term]) => term.length)),
): string[] {
  const column = termWidth + 4;
  return items.map(([term, description]) =>
    width - column < MIN_WIDTH
      ? `  ${term}\n      ${wrapped(description, width, 6, 6)}`
      : `  ${term.padEnd(termWidth)}  ${wrapped(description, width, column, column)}`,
  );
}

/** A command that can be copied, continued on further lines if it is longer than one. */
function exampleLines(text: string, width: number): string {
  // A quoted argument stays on one line, and so does an option with its value.
  const words = text.match(/--\S+ (?:"[^"]*"|[^\s"-]\S*)|(?:[^\s"]|"[^"]*")+/g) ?? [];
  return linesOf(words, width - 2, 2, 4).join(' \\\n');
}

/**
 * A text in lines of at most `width` columns, except for words that are longer.
 * @param indent of the lines after the first
 * @param start the column at which the first line starts
 */
function wrapped(text: string, width: number, indent = 0, start = 0): string {
  return linesOf(text.split(' '), width, start, indent).join('\n').slice(start);
}

function linesOf(words: readonly string[], width: number, start: number, indent: number): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(start);
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = ' '.repeat(indent);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
