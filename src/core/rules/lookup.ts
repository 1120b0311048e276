import type { Finding } from '../findings/report.ts';
import type { ResourceKind } from '../facts/facts.ts';
import { formatReason, type NotJudgedReason } from '../facts/missing.ts';
import { didYouMean } from '../text/similar-names.ts';
import { type CauseInfo, causeInfo } from './cause.ts';
import { rules } from './index.ts';
import type { Owner } from './owners.ts';
import type { AnyRule } from './rule.ts';

/** Declarations of the rules, by the ids and causes in a report. */

const BY_ID = new Map(rules.map((rule) => [rule.id, rule]));

/** The rule of this library with that id; undefined for a rule that was added to it, or of another version. */
export function ruleById(id: string): AnyRule | undefined {
  return BY_ID.get(id);
}

/** A sentence with the rules that a mistyped or abbreviated id may mean; '' if none is similar. */
export function similarRule(id: string): string {
  const known = [...BY_ID.keys()];
  const near = didYouMean(id, known);
  if (near !== '') return near;
  const words = id.toLowerCase().split(/[-_ ]/);
  const close = known.filter((k) => words.every((word) => k.includes(word)) || k.startsWith(id.slice(0, 12)));
  return close.length > 0 && close.length <= 3 ? ` Did you mean ${close.join(' or ')}?` : '';
}

/** Title of a rule; its id, for a rule of another version. */
export function ruleTitle(id: string): string {
  return BY_ID.get(id)?.title ?? id;
}

/** A reason for people: a rule is named by its title, and by the id under which `appreg explain` describes it. */
export function reasonText(reason: NotJudgedReason, resource: ResourceKind | null = null): string {
  return formatReason(reason, resource, (id) => (BY_ID.has(id) ? `“${ruleTitle(id)}” (${id})` : id));
}

/** Declaration of the cause of a finding; undefined if it has none, or an unknown one. */
export function causeOfFinding({ rule, cause }: Pick<Finding, 'rule' | 'cause'>): CauseInfo | undefined {
  return causeInfo(ruleById(rule)?.causes, cause);
}

/** True if `lint --fix` fixes such findings. */
export function isFixable(finding: Pick<Finding, 'rule' | 'cause'>): boolean {
  return causeOfFinding(finding)?.fixable ?? ruleById(finding.rule)?.fixable ?? false;
}

/** The party that has to act on a finding. A rule that is not part of this library is attributed to the author. */
export function ownerOf(finding: Pick<Finding, 'rule' | 'cause' | 'evidence'>): Owner {
  // The clock of the check may be its only reason.
  if (finding.evidence['clock'] !== undefined) return 'user';
  const owner = causeOfFinding(finding)?.owner ?? ruleById(finding.rule)?.owner ?? 'author';
  return typeof owner === 'function' ? owner(finding) : owner;
}
