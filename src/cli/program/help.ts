import type { Command, Help, Option } from 'commander';
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
  const isGlobal = ({ flags, long }: Option): boolean =>
    GLOBAL.has(flags) || long === '--help' || (command.parent === null && long === '--version');
  const commands = helper.visibleCommands(command);
  const groups: Item[][] = [
    options.filter((option) => !isGlobal(option)).map(itemOf),
    commands.map((one) => [[one.name(), ...argumentsOf(one)].join(' '), one.description()]),
    options.filter(isGlobal).map(itemOf),
  ];
  const termWidth = Math.max(...groups.flat().map(([term]) => term.length));
  const sections = [
    [wrapped(`Usage: ${helper.commandUsage(command)}`, width, 2)],
    [wrapped(command.description(), width)],
    ...groups.map((items, at) => titled(TITLES[at] ?? '', itemLines(items, termWidth, width))),
    ...(definition?.notes === undefined ? [] : [[wrapped(definition.notes, width)]]),
    titled(
      'Examples:',
      (definition?.examples ?? []).map((words) => exampleLines(`appreg ${words}`, width)),
    ),
    ...(command.parent === null ? [[wrapped(START, width, 2)]] : []),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** A term and its description. */
type Item = [string, string];

const TITLES = ['Options:', 'Commands:', 'Global options:'];
const START = 'Start with: appreg init my-registry --base-url https://apps.example.com/';
const GLOBAL: ReadonlySet<string> = new Set(Object.values(globalOptions).map(({ flags }) => flags));

function itemOf({ flags, description }: Option): Item {
  return [flags, description];
}

function argumentsOf({ registeredArguments }: Command): string[] {
  return registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

/** Descriptions in a column, or each below its term if the column would be too narrow. */
function itemLines(items: readonly Item[], termWidth: number, width: number): string[] {
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
