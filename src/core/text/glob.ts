/** Globs of the configuration: `*` matches within a segment of a path, `**` across segments. Nothing else is special. */

type Token = { literal: string } | { across: boolean };

/**
 * True if the glob matches the whole text. `/**\/` also matches a single `/`. The time is proportional to the product of
 * both lengths, whatever the text contains.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const start = glob.indexOf('*');
  if (start < 0) return glob === text;
  if (!text.startsWith(glob.slice(0, start))) return false;
  const tokens = tokensOf(glob);
  // The positions in the glob that the text so far may have led to.
  let states = closure(new Set([0]), tokens);
  for (const character of text) {
    const next = new Set<number>();
    for (const state of states) {
      const token = tokens[state];
      if (token === undefined) continue;
      if ('literal' in token ? token.literal === character : token.across || character !== '/')
        next.add('literal' in token ? state + 1 : state);
    }
    if (next.size === 0) return false;
    states = closure(next, tokens);
  }
  return states.has(tokens.length);
}

/** Adds the positions after wildcards, which may match nothing. */
function closure(states: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const state of states) {
    const token = tokens[state];
    if (token === undefined || 'literal' in token) continue;
    states.add(state + 1);
    const [before, after] = [tokens[state - 1], tokens[state + 1]];
    // `a/**/b` matches `a/b`.
    if (token.across && isSlash(before) && isSlash(after)) states.add(state + 2);
  }
  return states;
}

function isSlash(token: Token | undefined): boolean {
  return token !== undefined && 'literal' in token && token.literal === '/';
}

function tokensOf(glob: string): Token[] {
  return (glob.match(/\*+|[^*]/gsu) ?? []).map((part) =>
    part.startsWith('*') ? { across: part.length > 1 } : { literal: part },
  );
}
