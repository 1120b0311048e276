import { isMissing, type Missing } from '../facts/facts.ts';
import { blockedBy } from '../facts/missing.ts';
import type { AnyRule, CheckResult, Problem } from '../rules/rule.ts';
import { shorten } from '../text/text.ts';
import type { SubjectLocation } from './location.ts';
import type { JudgingRun } from './run.ts';
import { isOff, severityOf } from './settings.ts';
import { isSuperseded, type Superseder, supersederIn } from './symptoms.ts';

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
  if (!result) return addExplained(run, rule, place);
  const problems = isList(result) ? result : [result];
  if (problems.length === 0) return addExplained(run, rule, place);
  if (!isOff(run.overrides, rule)) return addProblems(run, rule, problems, place);
  for (const problem of problems) run.findings.addTurnedOff(rule, problem, place);
}

/** A rule that found nothing is not judged if another finding would explain all that it can find. */
function addExplained(run: JudgingRun, rule: AnyRule, place: SubjectLocation): void {
  // Nearly always: nothing was found that could explain anything.
  if (place.found.size === 0 || rule.supersededBy === undefined || isOff(run.overrides, rule)) return;
  const superseder = supersederIn(place.found, rule.supersededBy);
  if (superseder !== null && isSuperseded(superseder, severityOf(run.overrides, rule)))
    noteSuperseded(run, rule, place, superseder);
}

/** Adds the problems that no finding supersedes; if none is left, the rule is not judged because of that finding. */
function addProblems(run: JudgingRun, rule: AnyRule, problems: readonly Problem[], place: SubjectLocation): void {
  const superseders = problems.map(({ cause }) => supersederIn(place.found, rule.supersededBy, cause));
  const left = problems.filter(
    (problem, i) => !isSuperseded(superseders[i] ?? null, severityOf(run.overrides, rule, problem)),
  );
  for (const problem of left) run.findings.add(rule, problem, place);
  const superseder = superseders.find((one) => one !== null);
  if (left.length === 0 && superseder) noteSuperseded(run, rule, place, superseder);
}

/** The other finding's symptom is known; not judging this rule makes nothing unknown. */
function noteSuperseded(run: JudgingRun, rule: AnyRule, place: SubjectLocation, { rule: by }: Superseder): void {
  run.notJudged.add(rule, place, { ...blockedBy(by), intentional: true });
}

function isList(result: Problem | readonly Problem[]): result is readonly Problem[] {
  return Array.isArray(result);
}

/**
 * The names of missing facts; null if all are present, as for most subjects.
 * @param present the name of a fact that is not missing, whatever its fields are called; null for none
 */
export function missingIn(
  facts: Readonly<Record<string, unknown>>,
  present: string | null,
): ReadonlyMap<string, Missing> | null {
  let missing: Map<string, Missing> | null = null;
  for (const name in facts) {
    const fact = facts[name];
    if (name !== present && isMissing(fact)) (missing ??= new Map()).set(name, fact);
  }
  return missing;
}
