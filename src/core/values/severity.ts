/**
 * The report of a run: the vocabulary and shapes of `--format json` (schemas/report.schema.json). Absent values are
 * null.
 */

export type Severity = 'error' | 'warning' | 'note';

export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

/** True if the first severity is higher than the second. */
export function outranks(one: Severity, other: Severity): boolean {
  return SEVERITIES.indexOf(one) < SEVERITIES.indexOf(other);
}
