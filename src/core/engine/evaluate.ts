import { blockedBy } from '../facts/missing.ts';
import type { AnyRule, CheckResult, Problem } from '../rules/rule.ts';
import { shorten } from '../text/text.ts';
import type { SubjectLocation } from './location.ts';
import type { Plan, Step, SubjectRules } from './rule-table.ts';
import type { RunRecord } from './record.ts';
import { isOff, severityOf } from './settings.ts';
import { isSuperseded, type Superseder, supersederIn } from './superseding.ts';

/**
 * Runs the rules about one subject whose facts are present.
 * @param present the name of a fact that is not missing, whatever its fields are called; null for none
 * @returns the plan by which they were run
 */
export function evaluate(
  run: RunRecord,
  rules: SubjectRules,
  facts: Readonly<Record<string, unknown>>,
  place: SubjectLocation,
  present: string | null = null,
): Plan {
  const plan = rules.planFor(facts, place.resource, present);
  runPlan(run, plan, facts, place);
  return plan;
}

/** Runs the rules about one subject of which no fact is missing. */
export function evaluateComplete(
  run: RunRecord,
  { complete }: SubjectRules,
  facts: unknown,
  place: SubjectLocation,
): void {
  runPlan(run, complete, facts, place);
}

function runPlan(run: RunRecord, plan: Plan, facts: unknown, place: SubjectLocation): void {
  for (const step of plan.steps) {
    if (step.reason === null) runStep(run, step, facts, place);
    else run.addNotJudged(step.rule, place, step.reason);
  }
  plan.endSubject(run.notJudged);
}

/** Runs one rule on one subject with the facts that it needs. A rule that throws is not judged, and the run is incomplete. */
export function runStep(
  run: RunRecord,
  step: Pick<Step, 'rule' | 'check'>,
  facts: unknown,
  place: SubjectLocation,
): void {
  const { rule } = step;
  let result: CheckResult;
  try {
    result = step.check(facts);
  } catch (error) {
    return run.addNotJudged(rule, place, { missing: { code: 'rule-crashed', error: shorten(String(error)) } });
  }
  run.evaluated?.note(rule, place);
  if (!result || (isList(result) && result.length === 0)) {
    // Nearly always: nothing was found that could explain anything.
    if (!place.found.isEmpty) addExplained(run, rule, place);
    return;
  }
  const problems = isList(result) ? result : [result];
  if (!isOff(run.overrides, rule)) return addProblems(run, rule, problems, place);
  for (const problem of problems) run.addTurnedOff(rule, problem, place);
}

/** A rule that found nothing is not judged if another finding would explain all that it can find. */
function addExplained(run: RunRecord, rule: AnyRule, place: SubjectLocation): void {
  if (rule.supersededBy === undefined || isOff(run.overrides, rule)) return;
  const superseder = supersederIn(place.found, rule.supersededBy);
  if (superseder !== null && isSuperseded(superseder, severityOf(run.overrides, rule)))
    noteSuperseded(run, rule, place, superseder);
}

/** Adds the problems that no finding supersedes; if none is left, the rule is not judged because of that finding. */
function addProblems(run: RunRecord, rule: AnyRule, problems: readonly Problem[], place: SubjectLocation): void {
  const superseders = problems.map(({ cause }) => supersederIn(place.found, rule.supersededBy, cause));
  const left = problems.filter(
    (problem, i) => !isSuperseded(superseders[i] ?? null, severityOf(run.overrides, rule, problem)),
  );
  for (const problem of left) run.add(rule, problem, place);
  const superseder = superseders.find((one) => one !== null);
  if (left.length === 0 && superseder) noteSuperseded(run, rule, place, superseder);
}

/** The other finding's symptom is known; not judging this rule makes nothing unknown. */
function noteSuperseded(run: RunRecord, rule: AnyRule, place: SubjectLocation, { rule: by }: Superseder): void {
  run.addNotJudged(rule, place, { ...blockedBy(by), intentional: true });
}

function isList(result: Problem | readonly Problem[]): result is readonly Problem[] {
  return Array.isArray(result);
}
