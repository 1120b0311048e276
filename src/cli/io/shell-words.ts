/** Parses a partial command line, as passed by a shell, into words. */

/** The last word is incomplete. */
export interface TypedWords {
  words: string[];
  /** Length of the prefix of the last word that the shell treats as separate words, and does not expect back. */
  separateLength: number;
}

/**
 * The words as the program would receive them.
 * @param raw as typed, with quotes; bash splits them at = and :, according to COMP_WORDBREAKS
 */
export function typedWords(shell: string, raw: readonly string[]): TypedWords {
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
