import { describe, expect, test } from 'vitest';
import { causeInfo } from '../../src/core/rules/cause.ts';
import { runStep } from '../../src/core/engine/evaluate.ts';
import type { SubjectLocation } from '../../src/core/engine/location.ts';
import { RunRecord } from '../../src/core/engine/record.ts';
import { SEVERITIES, type Severity } from '../../src/core/values/severity.ts';
import type { HttpViews } from '../../src/core/facts/facts.ts';
import { isMissing } from '../../src/core/facts/facts.ts';
import { Found } from '../../src/core/engine/superseding.ts';
import type { AnyRule, ExplainedBy, Problem, Rule } from '../../src/core/rules/rule.ts';
import type { Subject, Subjects } from '../../src/core/rules/subjects.ts';
import { type SideProbes, sideProbes } from '../../src/core/http/side-probes.ts';

/** Facts for a rule; what the probes beside the plain GET come to is read off `web`. */
type Given<S extends Subject, N extends keyof Subjects[S]> = Omit<Pick<Subjects[S], N>, keyof SideProbes> & {
  web?: HttpViews;
};
type ExpectedProblem = Partial<Omit<Problem, 'message' | 'advice'>> & { message?: string; advice?: string };
type Expected = ExpectedProblem | readonly ExpectedProblem[];

/**
 * The test of a rule: a clean half, where it must find nothing, and a faulty half, where each problem found must match
 * the expected one (`message` and `advice` by substring, everything else exactly).
 */
export function ruleTable<S extends Subject, N extends keyof Subjects[S]>(
  rule: Rule<S, N>,
  table: {
    clean: readonly (readonly [name: string, facts: Given<S, N>])[];
    faulty: readonly (readonly [name: string, facts: Given<S, N>, expected: Expected])[];
  },
): void {
  describe(rule.id, () => {
    test.each(table.clean)('reports nothing: %s', (_, facts) => {
      expect(problems(rule, facts)).toEqual([]);
    });
    test.each(table.faulty)('reports a finding: %s', (_, facts, expected) => {
      const found = problems(rule, facts);
      const wanted = Array.isArray(expected) ? (expected as Partial<Problem>[]) : [expected as Partial<Problem>];
      expect(found.map((p) => p.cause ?? p.message)).toHaveLength(wanted.length);
      for (const [i, problem] of found.entries()) {
        const { message, advice, ...rest } = wanted[i]!;
        if (message !== undefined) expect(problem.message).toContain(message);
        if (advice !== undefined) expect(problem.advice).toContain(advice);
        expect(problem).toMatchObject(rest);
        expect(problem.message).not.toBe('');
        expect(problem.advice).not.toBe('');
      }
    });
    test('every declared cause has a faulty row, and every cause that is found is declared', () => {
      const found = table.faulty.flatMap(([, facts]) => problems(rule, facts).flatMap(({ cause }) => cause ?? []));
      const declared = Object.keys(rule.causes ?? {});
      const isFound = (name: string): boolean =>
        name.endsWith('*')
          ? found.some((cause) => cause.startsWith(name.slice(0, -1)) && !declared.includes(cause))
          : found.includes(name);
      expect(declared.filter((name) => !isFound(name))).toEqual([]);
      expect(found.filter((cause) => causeInfo(rule.causes, cause) === undefined)).toEqual([]);
    });
    test.each(table.faulty)('is superseded only by a finding of the same or a higher severity: %s', (_, facts) => {
      const found = problems(rule, facts);
      const whole = { ...(facts.web === undefined ? {} : sideProbes(facts.web)), ...facts };
      for (const reference of supersedersOf(rule, found))
        for (const severity of SEVERITIES)
          for (const setting of [undefined, ...SEVERITIES])
            expectReported(rule, { whole, found }, { reference, severity }, setting);
    });
  });
}

/** The findings that may replace those of a rule. @param found its problems */
function supersedersOf<S extends Subject, N extends keyof Subjects[S]>(
  rule: Rule<S, N>,
  found: readonly Problem[],
): Set<ExplainedBy> {
  return new Set([...(rule.supersededBy ?? []), ...found.flatMap(({ supersededBy }) => supersededBy ?? [])]);
}

/** Each problem of a higher severity than the other finding's must be reported; `setting` is the severity set for the rule. */
function expectReported<S extends Subject, N extends keyof Subjects[S]>(
  rule: Rule<S, N>,
  row: { whole: Record<string, unknown>; found: readonly Problem[] },
  other: OtherFinding,
  setting: Severity | undefined,
): void {
  const run = new RunRecord(setting === undefined ? {} : { [rule.id]: setting });
  runStep(run, { rule: rule as unknown as AnyRule, check: rule.check }, row.whole, placeOf(other));
  const reported = run.findings.map(({ severity, cause }) => `${severity} ${cause}`);
  const found = row.found.map((problem) => ({
    severity: setting ?? problem.severity ?? rule.severity,
    cause: problem.cause ?? null,
    mayGo: [rule, problem].some(
      ({ supersededBy }) =>
        supersededBy?.includes(other.reference) === true &&
        other.reference.only?.includes(problem.cause ?? '') !== false,
    ),
  }));
  for (const { severity, cause, mayGo } of found) {
    const isReplaced = mayGo && SEVERITIES.indexOf(other.severity) <= SEVERITIES.indexOf(severity);
    if (!isReplaced)
      expect(reported, `${other.severity} ${other.reference.rule} beside ${rule.id}`).toContain(`${severity} ${cause}`);
    else if (found.length === 1) expect(reported).toEqual([]);
  }
}

/** Finding of another rule on the same resource. */
interface OtherFinding {
  reference: ExplainedBy;
  severity: Severity;
}

/** A location with a finding of another rule. */
function placeOf({ reference, severity }: OtherFinding): SubjectLocation {
  const found = new Found();
  found.note(reference.rule, reference.causes?.[0], severity);
  return {
    app: 'echo',
    version: null,
    resource: 'metadata',
    document: null,
    pointer: '',
    url: null,
    file: null,
    web: { missing: { code: 'not-requested', flag: null } },
    found,
  };
}

function problems<S extends Subject, N extends keyof Subjects[S]>(
  rule: Rule<S, N>,
  facts: Given<S, N>,
): readonly Problem[] {
  const whole = { ...(facts.web === undefined ? {} : sideProbes(facts.web)), ...facts };
  if (rule.needs.some((need) => isMissing((whole as Record<string, unknown>)[need as string]))) return [];
  const found = rule.check(whole as unknown as Pick<Subjects[S], N>);
  if (found === null || found === undefined) return [];
  return Array.isArray(found) ? (found as readonly Problem[]) : [found as Problem];
}
