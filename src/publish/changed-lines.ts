/** The lines of a text that an edit removes and adds; each are one block. */
export interface LineChanges {
  removed: readonly string[];
  added: readonly string[];
}

/** The lines of each text that the other one does not have. */
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
