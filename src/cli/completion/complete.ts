import type { Argument, Command, Option } from 'commander';
import type { Choices } from '../define/choices.ts';
import type { OptionDefinition, ValueKind } from '../define/command.ts';
import { GROUP_NAMES, GROUPS } from '../define/groups.ts';
import { COMMANDS } from '../commands/index.ts';
import { commandName } from '../program/missing-arguments.ts';
import { isOptionWord } from '../io/option-words.ts';
import { globalOptions } from '../define/option-groups.ts';
import { type Completion, type CompletionContext, completionFor } from './values.ts';

/**
 * `appreg __complete <shell> <word>...`, called by the scripts of `appreg completion` at Tab: candidates for the last
 * word. Derived from the program itself, to avoid a second list of commands and options.
 * @returns a line that says what else the shell may offer (nothing, files or folders; nospace if the word continues),
 * and a line per candidate, for zsh and fish with a tab and a description
 */
export async function complete(program: Command, [shell = '', ...raw]: readonly string[]): Promise<string> {
  const { words, separateLength } = typedWords(shell, raw);
  const lastWord = words.pop() ?? '';
  const position = positionOf(program, words, lastWord);
  const { candidates, fromFileSystem, continues } = await completionAt(program, position, lastWord);
  const lines = candidates
    .filter(({ value }) => value.startsWith(lastWord))
    .map(({ value, description }) =>
      shell === 'bash' || !description ? value.slice(separateLength) : `${value}\t${description}`,
    );
  return `${[`${fromFileSystem ?? 'nothing'}${continues ? ' nospace' : ''}`, ...lines].join('\n')}\n`;
}

/** Where the last word is. */
interface Position {
  command: Command;
  /** The command that `help` describes: the program, or the one that the words after `help` name; null elsewhere. */
  described: Command | null;
  /** The option or argument whose value the word is; null if options and commands are expected. */
  value: Option | Argument | null;
  /** The prefix of the value in the word: `--option=`. */
  prefix: string;
  /** True if the word starts like an option. */
  isOption: boolean;
  context: CompletionContext;
}

/** The position of the last word: the command, and the option or argument whose value it is. */
function positionOf(program: Command, before: readonly string[], lastWord: string): Position {
  const context: CompletionContext = { command: '', cwd: null, config: null };
  let command = program;
  let described: Command | null = null;
  let valueExpected: Option | null = null;
  let argumentCount = 0;
  let optionsEnded = false;
  const noteValue = ({ long }: Option, value: string): void => {
    if (long === '--cwd') context.cwd = value;
    if (long === '--config') context.config = value;
  };
  for (const word of before) {
    if (valueExpected && !isOptionWord(word)) {
      noteValue(valueExpected, word);
      valueExpected = null;
      continue;
    }
    valueExpected = null;
    if (!optionsEnded && word === '--') optionsEnded = true;
    else if (!optionsEnded && word.startsWith('-') && word !== '-') {
      const { option, value } = optionIn(command, word);
      if (option?.required && value === null) valueExpected = option;
      else if (option && value !== null) noteValue(option, value);
    } else if (described !== null) {
      described = commandsOf(described).find((known) => known.name() === word) ?? unknownCommand(program);
    } else {
      const next = argumentCount === 0 ? commandsOf(command).find((known) => known.name() === word) : undefined;
      if (next === undefined && command !== program) argumentCount += 1;
      else {
        command = next ?? unknownCommand(program);
        context.command = commandName(command);
        if (context.command === 'help') described = program;
      }
    }
  }
  if (valueExpected && !isOptionWord(lastWord))
    return { command, described, value: valueExpected, prefix: '', isOption: false, context };
  const isOption = !optionsEnded && lastWord.startsWith('-');
  const { option, value } = optionIn(command, lastWord);
  if (isOption && option?.required && value !== null)
    return {
      command,
      described,
      value: option,
      prefix: lastWord.slice(0, lastWord.length - value.length),
      isOption,
      context,
    };
  return { command, described, value: argumentAt(command, argumentCount), prefix: '', isOption, context };
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | null {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : null);
}

/** A placeholder for an unknown command, so that nothing is offered after it. */
function unknownCommand(program: Command): Command {
  return program.createCommand('unknown').helpOption(false);
}

function optionIn(command: Command, word: string): { option: Option | undefined; value: string | null } {
  const separator = word.startsWith('--') ? word.indexOf('=') : -1;
  const name = separator === -1 ? word : word.slice(0, separator);
  return {
    option: command.options.find(({ short, long }) => name === long || name === short),
    value: separator === -1 ? null : word.slice(separator + 1),
  };
}

function commandsOf(program: Command): Command[] {
  return program.createHelp().visibleCommands(program);
}

async function completionAt(program: Command, position: Position, lastWord: string): Promise<Completion> {
  const { command, described, value, prefix, isOption, context } = position;
  if (isOption && prefix === '') {
    const options = command.createHelp().visibleOptions(command);
    return { candidates: options.map((o) => ({ value: o.long ?? o.short ?? '', description: o.description })) };
  }
  const commands = commandsOf(described ?? command).map((c) => ({ value: c.name(), description: c.description() }));
  const groups =
    described === program ? GROUP_NAMES.map((name) => ({ value: name, description: GROUPS[name].purpose })) : [];
  if (described !== null || commands.length > 0) return { candidates: [...commands, ...groups] };
  const kind = value && valueKind(context.command, value);
  if (!kind) return { candidates: [] };
  const completion = await completionFor(kind, context, lastWord.slice(prefix.length));
  return {
    ...completion,
    candidates: completion.candidates.map((candidate) => ({ ...candidate, value: prefix + candidate.value })),
  };
}

/** Looks up the kind of an option or argument in the definition of its command; null for unknown commands. */
function valueKind(name: string, value: Option | Argument): ValueKind | Choices | null {
  const definition = COMMANDS.find((command) => command.definition.name === name)?.definition;
  if (!('flags' in value))
    return definition?.arguments.find(({ usage }) => nameIn(usage) === value.name())?.value ?? null;
  const options: readonly OptionDefinition[] = [
    ...Object.values(globalOptions),
    ...Object.values(definition?.options ?? {}),
  ];
  const option = options.find(({ flags }) => flags === value.flags);
  return option && 'value' in option ? option.value : null;
}

/** `facts.json` of `<facts.json...>`. */
function nameIn(usage: string): string {
  return usage.replace(/^[<[]|(\.\.\.)?[>\]]$/g, '');
}

/** Parses a partial command line, as passed by a shell, into words. */

/** The last word is incomplete. */
interface TypedWords {
  words: string[];
  /** Length of the prefix of the last word that the shell treats as separate words, and does not expect back. */
  separateLength: number;
}

/**
 * The words as the program would receive them.
 * @param raw as typed, with quotes; bash splits them at = and :, according to COMP_WORDBREAKS
 */
function typedWords(shell: string, raw: readonly string[]): TypedWords {
  if (shell !== 'bash') return { words: raw.map(unquoted), separateLength: 0 };
  const words: string[] = [];
  let separateLength = 0;
  let joinNext = false;
  for (const part of raw) {
    const isSeparator = /^[=:]+$/.test(part);
    const previous = words.at(-1);
    if (previous !== undefined && (isSeparator || joinNext)) {
      separateLength = unquoted(previous).length + (isSeparator ? part.length : 0);
      words[words.length - 1] = previous + part;
    } else {
      separateLength = 0;
      words.push(part);
    }
    joinNext = isSeparator;
  }
  return { words: words.map(unquoted), separateLength };
}

/** A word without its quotes and backslashes; the last quote may be unclosed. Nothing is evaluated. */
export function unquoted(raw: string): string {
  return raw.replaceAll(/'([^']*)'?|"((?:[^"\\]|\\[^])*)"?|\\([^])/g, (_, single, double, escaped) => {
    if (single !== undefined) return single;
    return double === undefined ? escaped : double.replaceAll(/\\([$`"\\])/g, '$1');
  });
}
