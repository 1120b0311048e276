/** What a shell says of a half-written command line, as words. */

/** The last of the words is being written. */
export interface Typed {
  words: string[];
  /** How much of the last word the shell takes for other words, and does not want back. */
  apart: number;
}

/**
 * The words as the program would get them.
 * @param raw as typed, with their quotes; from bash cut at = and :, as its COMP_WORDBREAKS has it
 */
export function typedWords(shell: string, raw: readonly string[]): Typed {
  if (shell !== 'bash') return { words: raw.map(unquoted), apart: 0 };
  const words: string[] = [];
  let apart = 0;
  let glue = false;
  for (const piece of raw) {
    const cut = /^[=:]+$/.test(piece);
    if (words.length > 0 && (cut || glue)) {
      apart = unquoted(words.at(-1)!).length + (cut ? piece.length : 0);
      words.push(words.pop()! + piece);
    } else {
      apart = 0;
      words.push(piece);
    }
    glue = cut;
  }
  return { words: words.map(unquoted), apart };
}

/** A word without its quotes and backslashes, the last quote perhaps still open. Nothing is evaluated. */
export function unquoted(raw: string): string {
  return raw.replaceAll(/'([^']*)'?|"((?:[^"\\]|\\[^])*)"?|\\([^])/g, (_, single, double, escaped) => {
    if (single !== undefined) return single;
    return double === undefined ? escaped : double.replaceAll(/\\([$`"\\])/g, '$1');
  });
}
