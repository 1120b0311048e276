import type { Finding } from './report.ts';
import { comparePrecedence } from '../registry/precedence.ts';
import { isSemver } from '../registry/version.ts';

/** The order of findings in a report. It depends only on the facts, not on the order in which they were listed. */

/** Compares by UTF-16 code units; null comes first. */
export function compareText(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

/** By precedence; versions that are not semantic come last, by code units. */
export function compareVersions(a: string | null, b: string | null): number {
  const valid = [a, b].map((version) => version !== null && isSemver(version));
  if (valid[0] && valid[1]) return comparePrecedence(a!, b!) || compareText(a, b);
  // Valid versions come first, since mixing both comparisons would not be transitive.
  if (a !== null && b !== null && valid[0] !== valid[1]) return valid[0] ? -1 : 1;
  return compareText(a, b);
}

/** The manifest first, then by app, version and rule. */
export function inReportOrder(a: Finding, b: Finding): number {
  return (
    Number(a.resource !== 'manifest' || a.app !== null) - Number(b.resource !== 'manifest' || b.app !== null) ||
    compareText(a.app, b.app) ||
    compareVersions(a.version, b.version) ||
    compareText(a.rule, b.rule) ||
    compareText(a.file, b.file) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareText(a.pointer, b.pointer)
  );
}
