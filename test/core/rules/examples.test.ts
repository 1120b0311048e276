import { describe, expect, test } from 'vitest';
import { rules } from '../../../src/core/rules/index.ts';
import type { AnyRule, Problem } from '../../../src/core/rules/rule.ts';
import { EXAMPLE_FACTS } from '../../support/rule-example.ts';

/** What a rule finds in an example, given the facts that it needs. */
function problemsIn(rule: AnyRule, text: string): readonly Problem[] {
  const facts = EXAMPLE_FACTS[rule.on]?.(text);
  if (facts === undefined) throw new Error(`Examples of rules about a ${rule.on} are not supported`);
  const missing = rule.needs.filter((need) => facts[need] === undefined);
  if (missing.length > 0) throw new Error(`The example has no ${missing.join(', ')}`);
  const found = rule.check(facts);
  if (found === null || found === undefined) return [];
  return Array.isArray(found) ? (found as readonly Problem[]) : [found as Problem];
}

describe('the examples of the rules', () => {
  const table = rules.flatMap((rule) => (rule.examples ? [{ rule, id: rule.id, ...rule.examples }] : []));

  test.each(table)('$id: the bad one has a finding', ({ rule, bad }) => {
    expect(problemsIn(rule, bad)).not.toEqual([]);
  });

  test.each(table)('$id: the good one has none', ({ rule, good }) => {
    expect(problemsIn(rule, good)).toEqual([]);
  });

  test('exist for every rule about what documents contain', () => {
    const without = rules.filter(({ on, examples }) => EXAMPLE_FACTS[on] !== undefined && examples === undefined);
    // A file that does not exist, and one that is too large.
    expect(without.map(({ id }) => id)).toEqual(['file-missing', 'document-oversized']);
  });
});
