import { type Severity, SEVERITIES } from './report.ts';
import { referencedRule, type RuleReference } from '../rules/rule.ts';

/**
 * When a finding supersedes others about the same resource (`supersededBy` of a rule or a problem): its severity must
 * be the same as theirs or higher. All severities are the reported ones, settings included.
 */

/** What was found on one resource: the highest reported severity, by rule and by rule and cause (`keyOf`). */
export type Found = Map<string, Severity>;

/** A finding that explains others. */
export interface Superseder {
  rule: string;
  severity: Severity;
}

/** Records a finding under its rule, and under its rule and cause. */
export function noteFound(found: Found, rule: string, cause: string | undefined, severity: Severity): void {
  raise(found, keyOf(rule), severity);
  if (cause !== undefined) raise(found, keyOf(rule, cause), severity);
}

function keyOf(rule: string, cause?: string): string {
  return cause === undefined ? rule : `${rule} ${cause}`;
}

function raise(found: Found, key: string, severity: Severity): void {
  const known = found.get(key);
  if (known === undefined || outranks(severity, known)) found.set(key, severity);
}

/** The most severe of the referenced findings; null if none of them was found. */
export function supersederIn(found: Found, references: readonly RuleReference[] | undefined): Superseder | null {
  if (found.size === 0 || references === undefined) return null;
  let strongest: Superseder | null = null;
  for (const reference of references) {
    const { id } = referencedRule(reference);
    const severity = found.get(keyOf(id, 'rule' in reference ? reference.cause : undefined));
    if (severity === undefined || (strongest !== null && !outranks(severity, strongest.severity))) continue;
    strongest = { rule: id, severity };
  }
  return strongest;
}

/** True if a finding of that severity is omitted because of the superseder. */
export function isSuperseded(superseder: Superseder | null, severity: Severity): boolean {
  return superseder !== null && !outranks(severity, superseder.severity);
}

/** True if the first severity is higher than the second. */
export function outranks(one: Severity, other: Severity): boolean {
  return SEVERITIES.indexOf(one) < SEVERITIES.indexOf(other);
}
