/** The block of lines that an edit replaces, and the block that replaces it. */
export interface LineChanges {
  removed: readonly string[];
  added: readonly string[];
}

/** What is left of each text without their common first and last lines. */
export function changedLines(before: string, after: string): LineChanges {
  const old = before.split(/\r\n|\n|\r/);
  const lines = after.split(/\r\n|\n|\r/);
  const shorter = Math.min(old.length, lines.length);
  let start = 0;
  while (start < shorter && old[start] === lines[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === lines[lines.length - 1 - end]) end++;
  return { removed: old.slice(start, old.length - end), added: lines.slice(start, lines.length - end) };
}
