/** The lines of the new text that are not in the old one; after an insertion they are one block. */
export function newLines(before: string, after: string): string[] {
  const old = before.split(/\r\n|\n|\r/);
  const lines = after.split(/\r\n|\n|\r/);
  let start = 0;
  while (start < old.length && old[start] === lines[start]) start++;
  let end = 0;
  while (end < old.length - start && old[old.length - 1 - end] === lines[lines.length - 1 - end]) end++;
  return lines.slice(start, lines.length - end);
}
