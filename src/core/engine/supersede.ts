import { type Severity, SEVERITIES } from './report.ts';
import type { ExplainedBy } from '../rules/rule.ts';

/**
 * When a finding supersedes others about the same resource (`supersededBy` of a rule or a problem): it explains them, for
 * the declared reason, and its severity is the same as theirs or higher. All severities are the reported ones, settings included.
 */

/** What a rule found on one resource: the highest reported severity, and that of each cause. Never changed, since copied. */
interface FoundByRule {
  readonly severity: Severity;
  readonly byCause: ReadonlyMap<string, Severity>;
}

/** What was found on one resource, by rule. */
export type Found = Map<string, FoundByRule>;

const NO_CAUSES: ReadonlyMap<string, Severity> = new Map();

/** A finding that explains others. */
export interface Superseder {
  rule: string;
  severity: Severity;
}

/** Records a finding under its rule, and under its rule and cause. */
export function noteFound(found: Found, rule: string, cause: string | undefined, severity: Severity): void {
  const { severity: known, byCause = NO_CAUSES } = found.get(rule) ?? {};
  found.set(rule, {
    severity: higher(severity, known),
    byCause: cause === undefined ? byCause : new Map(byCause).set(cause, higher(severity, byCause.get(cause))),
  });
}

function higher(one: Severity, other: Severity | undefined): Severity {
  return other === undefined || outranks(one, other) ? one : other;
}

/**
 * The most severe of the explaining findings; null if none of them was found.
 * @param cause of the problem that may be explained; null for all problems of a rule, whatever their cause
 */
export function supersederIn(
  found: Found,
  explanations: readonly ExplainedBy[] | undefined,
  cause: string | null = null,
): Superseder | null {
  if (found.size === 0 || explanations === undefined) return null;
  let strongest: Superseder | null = null;
  for (const { rule, causes, only } of explanations) {
    if (only !== undefined && (cause === null || !only.includes(cause))) continue;
    const byRule = found.get(rule);
    if (byRule === undefined) continue;
    const severities = causes?.map((name) => byRule.byCause.get(name)) ?? [byRule.severity];
    for (const severity of severities)
      if (severity !== undefined && (strongest === null || outranks(severity, strongest.severity)))
        strongest = { rule, severity };
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
