import type { NotJudged } from '../core/engine/report.ts';

/** What a report's `notJudged` says about the run as a whole. */

/** Why the run observed less than it should have; such a run is incomplete. */
export function failureReasons(entries: readonly NotJudged[]): string[] {
  return entries.filter(isFailure).map(({ rule, reason }) => (rule === '*' ? reason : `${rule}: ${reason}`));
}

export function isFailure({ rule, resource, code }: NotJudged): boolean {
  return (rule === '*' && resource === null) || code === 'rule-crashed';
}

/** True for what was intentionally left to another run or shard, or to an earlier run. */
export function isIntentional({ rule, resource }: NotJudged): boolean {
  return rule === '*' && resource !== null;
}
