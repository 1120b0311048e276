import type { AnyRule, Problem } from '../rules/rule.ts';
import type { Severity } from '../values/severity.ts';

/** The severities that the user configured, by rule id. */
export type SeverityOverrides = Readonly<Record<string, Severity | 'off'>>;

export function isOff(overrides: SeverityOverrides, rule: AnyRule): boolean {
  return overrides[rule.id] === 'off';
}

/** The reported severity: the one configured for the rule, the problem's, or the rule's. */
export function severityOf(overrides: SeverityOverrides, rule: AnyRule, problem?: Problem): Severity {
  const override = overrides[rule.id];
  return override && override !== 'off' ? override : (problem?.severity ?? rule.severity);
}
