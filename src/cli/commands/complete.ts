import type { Argument, Command, Option } from 'commander';
import { type Offer, valuesOf, type Where } from '../completion-values.ts';
import { typedWords } from '../io/shell-words.ts';

/**
 * `appreg __complete <shell> <word>...`, called by the scripts of `appreg completion` at Tab: candidates for the last
 * word. Derived from the program itself, to avoid a second list of commands and options.
 * @returns a line that says what else the shell may offer (nothing, files or folders; nospace if the word continues),
 * and a line per candidate, for zsh and fish with a tab and a description
 */
export async function complete(program: Command, [shell = '', ...raw]: readonly string[]): Promise<string> {
  const { words, apart } = typedWords(shell, raw);
  const current = words.pop() ?? '';
  const place = placeOf(program, words, current);
  const { candidates, otherwise, open } = await offerAt(program, place, current);
  const lines = candidates
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, about }) => (shell === 'bash' || !about ? value.slice(apart) : `${value}\t${about}`));
  return `${[`${otherwise ?? 'nothing'}${open ? ' nospace' : ''}`, ...lines].join('\n')}\n`;
}

interface Place {
  command: Command;
  /** The option or argument whose value the word is; null if options and commands are expected. */
  value: Option | Argument | null;
  /** The prefix of the value in the word: `--option=`. */
  opening: string;
  options: boolean;
  where: Where;
}

/** The context of the last word: the command, and the option or argument whose value it is. */
function placeOf(program: Command, before: readonly string[], current: string): Place {
  const where: Where = { command: '', cwd: null, config: null };
  let command = program;
  let waiting: Option | null = null;
  let named = 0;
  let onlyArguments = false;
  const note = ({ long }: Option, value: string): void => {
    if (long === '--cwd') where.cwd = value;
    if (long === '--config') where.config = value;
  };
  for (const word of before) {
    if (waiting) {
      note(waiting, word);
      waiting = null;
    } else if (!onlyArguments && word === '--') onlyArguments = true;
    else if (!onlyArguments && word.startsWith('-') && word !== '-') {
      const { option, value } = optionIn(command, word);
      if (option?.required && value === null) waiting = option;
      else if (option && value !== null) note(option, value);
    } else if (command !== program) named += 1;
    else {
      command = commandsOf(program).find((known) => known.name() === word) ?? unknown(program);
      where.command = command.name();
    }
  }
  if (waiting) return { command, value: waiting, opening: '', options: false, where };
  const options = !onlyArguments && current.startsWith('-');
  const { option, value } = optionIn(command, current);
  if (options && option?.required && value !== null)
    return { command, value: option, opening: current.slice(0, current.length - value.length), options, where };
  const { registeredArguments: all } = command;
  const argument = all[named] ?? (all.at(-1)?.variadic ? all.at(-1)! : null);
  return { command, value: argument, opening: '', options, where };
}

/** A placeholder for an unknown command, so that nothing is offered after it. */
function unknown(program: Command): Command {
  return program.createCommand('unknown').helpOption(false);
}

function optionIn(command: Command, word: string): { option: Option | undefined; value: string | null } {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  const name = at === -1 ? word : word.slice(0, at);
  return {
    option: command.options.find(({ short, long }) => name === long || name === short),
    value: at === -1 ? null : word.slice(at + 1),
  };
}

function commandsOf(program: Command): Command[] {
  return program.createHelp().visibleCommands(program);
}

async function offerAt(program: Command, place: Place, current: string): Promise<Offer> {
  const { command, value, opening, options, where } = place;
  if (options && opening === '') {
    const all = command.createHelp().visibleOptions(command);
    return { candidates: all.map((o) => ({ value: o.long ?? o.short!, about: o.description })) };
  }
  if (command === program || (value && kindOf(value) === 'command'))
    return { candidates: commandsOf(program).map((c) => ({ value: c.name(), about: c.description() })) };
  if (!value) return { candidates: [] };
  const offer = await valuesOf(kindOf(value), where, current.slice(opening.length));
  return { ...offer, candidates: offer.candidates.map((c) => ({ ...c, value: opening + c.value })) };
}

/** The name of a value in the help: `file` of `--ca <file>` and of `<file>`. */
export function kindOf(value: Option | Argument): string {
  return 'flags' in value ? (/[<[](.+?)(?:\.\.\.)?[>\]]$/.exec(value.flags)?.[1] ?? '') : value.name();
}
