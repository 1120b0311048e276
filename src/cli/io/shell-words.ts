/** Parses a partial command line, as passed by a shell, into words. */

/** The last word is incomplete. */
export interface Typed {
  words: string[];
  /** Length of the prefix of the last word that the shell treats as separate words, and does not expect back. */
  apart: number;
}

/**
 * The words as the program would receive them.
 * @param raw as typed, with quotes; bash splits them at = and :, according to COMP_WORDBREAKS
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

/** A word without its quotes and backslashes; the last quote may be unclosed. Nothing is evaluated. */
export function unquoted(raw: string): string {
  return raw.replaceAll(/'([^']*)'?|"((?:[^"\\]|\\[^])*)"?|\\([^])/g, (_, single, double, escaped) => {
    if (single !== undefined) return single;
    return double === undefined ? escaped : double.replaceAll(/\\([$`"\\])/g, '$1');
  });
}
