/**
 * The report of a run: the vocabulary and shapes of `--format json` (schemas/report.schema.json). Absent values are
 * null.
 */

/** The severity of a finding: only errors fail a check by themselves. */
export type Severity = 'error' | 'warning' | 'note';

/** All severities, the highest first. */
export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

/** True if the first severity is higher than the second. */
export function outranks(one: Severity, other: Severity): boolean {
  return SEVERITIES.indexOf(one) < SEVERITIES.indexOf(other);
}
