/** The order of findings in a report. It depends only on the facts, not on the order in which they were listed. */

/** Compares by UTF-16 code units; null comes first. */
export function compareText(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}
