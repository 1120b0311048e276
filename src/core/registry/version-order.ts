import { compareText } from '../engine/order.ts';
import { comparePrecedence } from './precedence.ts';
import { isSemver } from './version.ts';

/** The order of an app's versions: the highest first, others than semantic ones last. */
export function highestFirst(a: string, b: string): number {
  const valid = isSemver(a);
  if (valid !== isSemver(b)) return valid ? -1 : 1;
  return (valid ? comparePrecedence(b, a) : 0) || compareText(a, b);
}
