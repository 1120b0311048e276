import type { AnyRule } from '../rules/rule.ts';

/** The rules with each one after those that supersede it; otherwise in the given order. */
export function inJudgingOrder(rules: readonly AnyRule[]): readonly AnyRule[] {
  const given = new Set(rules);
  const ordered = new Set<AnyRule>();
  const add = (rule: AnyRule): void => {
    for (const { rule: other } of rule.supersededBy ?? []) {
      if (given.has(other) && !ordered.has(other)) add(other);
    }
    ordered.add(rule);
  };
  for (const rule of rules) add(rule);
  return [...ordered];
}
