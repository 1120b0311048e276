import { describe, expect, test } from 'vitest';
import { rules } from '../../../src/core/rules/index.ts';
import type { AnyRule, Problem } from '../../../src/core/rules/rule.ts';
import { EXAMPLE_FACTS } from '../../support/rule-example.ts';

/** The facts that a rule needs and that are missing. */
function missingFor(rule: AnyRule, facts: Record<string, unknown>): string[] {
  return rule.needs.filter((need) => {
    const fact = facts[need];
    return fact === undefined || (typeof fact === 'object' && fact !== null && 'missing' in fact);
  });
}

/** What a rule finds in an example, given the facts that it needs. */
async function problemsIn(rule: AnyRule, text: string): Promise<readonly Problem[]> {
  const facts = await EXAMPLE_FACTS[rule.on](text);
  const missing = missingFor(rule, facts);
  if (missing.length > 0) throw new Error(`The example has no ${missing.join(', ')}`);
  const found = rule.check(facts);
  if (found === null || found === undefined) return [];
  return Array.isArray(found) ? (found as readonly Problem[]) : [found as Problem];
}

describe('the examples of the rules', () => {
  const table = rules.map((rule) => ({ rule, id: rule.id, ...rule.examples }));

  test.each(table)('$id: the bad example has a finding', async ({ rule, bad }) => {
    expect(await problemsIn(rule, bad)).not.toEqual([]);
  });

  test.each(table)('$id: the good example has no finding', async ({ rule, good }) => {
    expect(await problemsIn(rule, good)).toEqual([]);
  });
});
