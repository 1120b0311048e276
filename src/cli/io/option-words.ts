import type { Command } from 'commander';

/** The options that have a short form: those that the parser itself provides. */
export const HELP_FLAGS = '-h, --help';
export const VERSION_FLAGS = '-V, --version';

const SHORT = [HELP_FLAGS, VERSION_FLAGS].map((flags) => flags.slice(0, 2));

/**
 * True if a word after an option is another option, and so not the option's value: an empty variable of a pipeline
 * leaves the next option in its place. `-` and `- text` are values.
 */
export function isOptionWord(word: string): boolean {
  return word.startsWith('--') || SHORT.includes(word);
}

/**
 * The first option of a command line that is followed by another option in place of its value.
 * @param words after the name of the command
 */
export function optionWithoutValue(
  { options, commands }: Command,
  words: readonly string[],
): { flags: string; next: string } | null {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    // A subcommand parses the words after its name itself.
    if (word === '--' || (commands.length > 0 && !word.startsWith('-'))) return null;
    const option = options.find(({ long, short }) => word === long || word === short);
    if (option?.required !== true) continue;
    const next = words[++at];
    if (next !== undefined && isOptionWord(next)) return { flags: option.flags, next };
  }
  return null;
}
