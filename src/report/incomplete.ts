import type { NotJudged } from '../core/engine/report.ts';
import { grouped } from '../core/text/text.ts';

/** What a report's `notJudged` says about the run as a whole. */

/** Why the run observed less than it should have; such a run is incomplete. */
export function failureReasons(entries: readonly NotJudged[]): string[] {
  return entries
    .filter(isFailure)
    .map((entry) => (entry.rule === '*' ? entry.reason : `${entry.rule}: ${countedReason(entry)}`));
}

/** The reason of an entry, with the number of the subjects that it counts. */
export function countedReason({ reason, count }: NotJudged): string {
  return count === null ? reason : `${grouped(count)} more: ${reason}`;
}

/** True for what makes the run incomplete: a failure of the run as a whole, or of a rule. */
export function isFailure({ rule, resource, code }: NotJudged): boolean {
  return (rule === '*' && resource === null) || code === 'rule-crashed';
}

/** True for what was intentionally left to another run or shard, or to an earlier run. */
export function isIntentional({ rule, resource }: NotJudged): boolean {
  return rule === '*' && resource !== null;
}
