import type { NotJudged } from '../core/engine/report.ts';

/** What a report's `notJudged` says of the run as a whole. */

/** Why the run saw less than it should have; such a run is incomplete. */
export function failures(entries: readonly NotJudged[]): string[] {
  return entries.filter(isFailure).map(({ rule, reason }) => (rule === '*' ? reason : `${rule}: ${reason}`));
}

export function isFailure({ rule, resource, reason }: NotJudged): boolean {
  return (rule === '*' && resource === null) || reason.startsWith('the rule failed');
}

/** What was left to others, or to an earlier run, on purpose. */
export function isAside({ rule, resource }: NotJudged): boolean {
  return rule === '*' && resource !== null;
}
