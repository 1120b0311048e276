import { compareText } from '../text/order.ts';
import { comparePrecedence } from './precedence.ts';
import { isSemver } from './version.ts';

/** The order of an app's versions: the highest first, others than semantic ones last. */
export function highestFirst(a: string, b: string): number {
  const valid = isSemver(a);
  if (valid !== isSemver(b)) return valid ? -1 : 1;
  return (valid ? comparePrecedence(b, a) : 0) || compareText(a, b);
}

/** By precedence; versions that are not semantic come last, by code units. */
export function compareVersions(a: string | null, b: string | null): number {
  const valid = [a, b].map((version) => version !== null && isSemver(version));
  if (valid[0] && valid[1]) return comparePrecedence(a!, b!) || compareText(a, b);
  // Valid versions come first, since mixing both comparisons would not be transitive.
  if (a !== null && b !== null && valid[0] !== valid[1]) return valid[0] ? -1 : 1;
  return compareText(a, b);
}
