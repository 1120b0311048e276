import { blockedBy } from '../facts/missing.ts';
import type { AnyRule, CheckResult, Problem } from '../rules/rule.ts';
import type { FactsOf, Subject, Subjects } from '../rules/subjects.ts';
import { shorten } from '../text/text.ts';
import type { SubjectLocation } from './location.ts';
import type { RunRecord } from './record.ts';
import type { Plan, Step, SubjectRules } from './rule-table.ts';
import type { Run } from './run.ts';
import { isOff, severityOf } from './settings.ts';
import { isSuperseded, type Superseder, supersederIn } from './superseding.ts';

/**
 * Judges all rules about a subject.
 * @param present the name of a fact that is a document's value: one that has a field "missing" is not a missing fact
 */
export function judgeSubject<S extends Exclude<Subject, 'resource'>>(
  { record, rules }: Run,
  subject: S,
  facts: FactsOf<S>,
  place: SubjectLocation,
  present: (keyof FactsOf<S> & string) | null = null,
): void {
  evaluate(record, rules.on(subject), facts, place, present);
}

/** Judges all rules about a subject of which no fact is missing: the types say so. */
export function judgeComplete<S extends Exclude<Subject, 'resource'>>(
  { record, rules }: Run,
  subject: S,
  facts: Subjects[S],
  place: SubjectLocation,
): void {
  runPlan(record, rules.on(subject).complete, facts, place);
}

/**
 * Runs the rules about one subject whose facts are present.
 * @param present the name of a fact that is not missing, whatever its fields are called; null for none
 * @returns the plan by which they were run
 */
export function evaluate(
  record: RunRecord,
  rules: SubjectRules,
  facts: Readonly<Record<string, unknown>>,
  place: SubjectLocation,
  present: string | null = null,
): Plan {
  const plan = rules.planFor(facts, place.resource, present);
  runPlan(record, plan, facts, place);
  return plan;
}

function runPlan(record: RunRecord, plan: Plan, facts: unknown, place: SubjectLocation): void {
  for (const step of plan.steps) {
    if (step.reason === null) runStep(record, step, facts, place);
    else record.addNotJudged(step.rule, place, step.reason);
  }
  plan.endSubject(record.notJudged);
}

/** Runs one rule on one subject with the facts that it needs. A rule that throws is not judged, and the run is incomplete. */
export function runStep(
  record: RunRecord,
  step: Pick<Step, 'rule' | 'check'>,
  facts: unknown,
  place: SubjectLocation,
): void {
  const { rule } = step;
  let result: CheckResult;
  try {
    result = step.check(facts);
  } catch (error) {
    return record.addNotJudged(rule, place, { missing: { code: 'rule-crashed', error: shorten(String(error)) } });
  }
  record.evaluated?.note(rule, place);
  if (!result || (isList(result) && result.length === 0)) {
    // Nearly always: nothing was found that could explain anything.
    if (!place.found.isEmpty) addExplained(record, rule, place);
    return;
  }
  const problems = isList(result) ? result : [result];
  if (!isOff(record.overrides, rule)) return addProblems(record, rule, problems, place);
  for (const problem of problems) record.addTurnedOff(rule, problem, place);
}

/** A rule that found nothing is not judged if another finding would explain all that it can find. */
function addExplained(record: RunRecord, rule: AnyRule, place: SubjectLocation): void {
  if (rule.supersededBy === undefined || isOff(record.overrides, rule)) return;
  const superseder = supersederIn(place.found, rule.supersededBy);
  if (superseder !== null && isSuperseded(superseder, severityOf(record.overrides, rule)))
    noteSuperseded(record, rule, place, superseder);
}

/** Adds the problems that no finding supersedes; if none is left, the rule is not judged because of that finding. */
function addProblems(record: RunRecord, rule: AnyRule, problems: readonly Problem[], place: SubjectLocation): void {
  const superseders = problems.map(({ cause }) => supersederIn(place.found, rule.supersededBy, cause));
  const left = problems.filter(
    (problem, i) => !isSuperseded(superseders[i] ?? null, severityOf(record.overrides, rule, problem)),
  );
  for (const problem of left) record.add(rule, problem, place);
  const superseder = superseders.find((one) => one !== null);
  if (left.length === 0 && superseder) noteSuperseded(record, rule, place, superseder);
}

/** The other finding's symptom is known; not judging this rule makes nothing unknown. */
function noteSuperseded(record: RunRecord, rule: AnyRule, place: SubjectLocation, { rule: by }: Superseder): void {
  record.addNotJudged(rule, place, { ...blockedBy(by), intentional: true });
}

function isList(result: Problem | readonly Problem[]): result is readonly Problem[] {
  return Array.isArray(result);
}
