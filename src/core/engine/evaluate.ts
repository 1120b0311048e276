import { isMissing, type Missing } from '../facts/facts.ts';
import { blockedBy } from '../facts/missing.ts';
import type { AnyRule, Problem } from '../rules/rule.ts';
import { shorten } from '../text/text.ts';
import type { SubjectLocation } from './location.ts';
import type { JudgingRun } from './run.ts';
import { isOff, severityOf } from './settings.ts';
import { isSuperseded, type Superseder, supersederIn } from './supersede.ts';

/** The result of a rule's check. */
type CheckResult = Problem | readonly Problem[] | null | undefined;

/**
 * Runs one rule on one subject if its facts are present. A rule that throws is not judged, and the run is incomplete.
 * @param missing the missing ones among the facts, looked up once for all rules; null if there are none
 */
export function evaluateRule(
  run: JudgingRun,
  rule: AnyRule,
  facts: Record<string, unknown>,
  place: SubjectLocation,
  missing: ReadonlyMap<string, Missing> | null,
): void {
  if (missing !== null)
    for (const need of rule.needs) {
      const reason = missing.get(need);
      if (reason) return run.notJudged.add(rule, place, reason);
    }
  let result: CheckResult;
  try {
    result = rule.check(facts);
  } catch (error) {
    return run.notJudged.add(rule, place, { missing: { code: 'rule-crashed', error: shorten(String(error)) } });
  }
  run.evaluated?.note(rule, place);
  const superseder = supersederIn(place.found, rule.supersededBy);
  if (!result && superseder === null) return;
  const problems = problemsIn(result);
  if (!isOff(run.overrides, rule)) return addProblems(run, rule, problems, place, superseder);
  for (const problem of problems) run.findings.addTurnedOff(rule, problem, place, superseder);
}

/** Adds the problems that no finding supersedes; if none is left, the rule is not judged because of that finding. */
function addProblems(
  run: JudgingRun,
  rule: AnyRule,
  problems: readonly Problem[],
  place: SubjectLocation,
  superseder: Superseder | null,
): void {
  const left = problems.filter((problem) => !isSuperseded(superseder, severityOf(run.overrides, rule, problem)));
  for (const problem of left) run.findings.add(rule, problem, place);
  if (superseder === null || left.length > 0) return;
  if (problems.length === 0 && !isSuperseded(superseder, severityOf(run.overrides, rule))) return;
  // The other finding's symptom is known; not judging this rule makes nothing unknown.
  run.notJudged.add(rule, place, { ...blockedBy(superseder.rule), intentional: true });
}

/** The result of a rule's check as a list. */
function problemsIn(result: CheckResult): readonly Problem[] {
  if (!result) return [];
  return isList(result) ? result : [result];
}

function isList(result: Problem | readonly Problem[]): result is readonly Problem[] {
  return Array.isArray(result);
}

/**
 * The names of missing facts; null if all are present, as for most subjects.
 * @param values values of documents: one that has a field "missing" is not a missing fact
 */
export function missingIn(
  facts: Readonly<Record<string, unknown>>,
  values: WeakSet<object>,
): ReadonlyMap<string, Missing> | null {
  let missing: Map<string, Missing> | null = null;
  for (const name in facts) {
    const fact = facts[name];
    if (isMissing(fact) && !values.has(fact)) (missing ??= new Map()).set(name, fact);
  }
  return missing;
}
