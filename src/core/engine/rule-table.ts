import { isMissing, type Missing, type ResourceKind } from '../facts/facts.ts';
import { type AnyRule, canRefuseVersion, type CheckResult } from '../rules/rule.ts';
import type { Subject } from '../rules/subjects.ts';
import type { NotJudgedRecord } from './not-judged.ts';
import { isOff, type SeverityOverrides } from './settings.ts';
import { inJudgingOrder } from './superseding.ts';

/** The rules that can be run on a subject: determined once for all subjects that lack the same facts. */

/** A rule, and the missing fact that keeps it from being run; null if it can be run. */
export interface Step {
  readonly rule: AnyRule;
  readonly reason: Missing | null;
  /** That of the rule: rules have many shapes, and steps have one. */
  check(facts: unknown): CheckResult;
}

/** The rules about all subjects of one resource kind that lack the same facts. */
export class Plan {
  /** By the facts that the rules need: null for one that is present. */
  readonly missing: readonly (Missing | null)[];
  /** True if it is used for further subjects, too. */
  readonly isKept: boolean;
  #steps: readonly Step[];
  #subjects = 0;
  /** True while a rule is not judged one subject after the other. */
  #isListing = true;
  /** The rules that are only counted, and the number of subjects before that. */
  readonly #counted: { readonly rule: AnyRule; readonly after: number }[] = [];

  constructor(missing: readonly (Missing | null)[], steps: readonly Step[], isKept: boolean) {
    this.missing = missing;
    this.isKept = isKept;
    this.#steps = steps;
  }

  /** In judging order; without those that are only counted. */
  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** True if no rule can be run on another such subject, and none is listed: it is only counted. */
  get isIdle(): boolean {
    return this.isKept && this.#steps.length === 0;
  }

  /**
   * Ends a subject. A rule that was not judged is not visited again if its reason holds for the whole run, or if its
   * subjects are only counted from now on.
   */
  endSubject(record: NotJudgedRecord): void {
    if (!this.isKept) return;
    this.#subjects += 1;
    if (!this.#isListing) return;
    this.#steps = this.#steps.filter(({ rule, reason }) => {
      if (reason === null) return true;
      const state = record.stateOf(rule, reason);
      if (state === 'counted') this.#counted.push({ rule, after: this.#subjects });
      return state === 'listed';
    });
    this.#isListing = this.#steps.some(({ reason }) => reason !== null);
  }

  /** Adds the subjects that were only counted; call it once, at the end of the run. */
  addCounted(record: NotJudgedRecord): void {
    for (const { rule, after } of this.#counted) record.addCount(rule, this.#subjects - after);
  }
}

/** Plans that are kept for each resource kind. Reasons from saved facts are objects of their own, and make more. */
const KEPT = 16;
const NO_PLANS: readonly Plan[] = [];

/** The rules about one subject, in judging order. */
export class SubjectRules {
  readonly rules: readonly AnyRule[];
  /** The facts that a rule needs. */
  readonly #needs: readonly string[];
  readonly #plans = new Map<ResourceKind, readonly Plan[]>();
  /** The plan for subjects of which no fact is missing. */
  readonly complete: Plan;

  constructor(rules: readonly AnyRule[]) {
    this.rules = rules;
    this.#needs = [...new Set(rules.flatMap(({ needs }) => needs))];
    this.complete = new Plan(
      this.#needs.map(() => null),
      rules.map((rule) => stepOf(rule, null)),
      true,
    );
  }

  /**
   * The plan for a subject with these facts.
   * @param present the name of a fact that is present, whatever its fields are called; null for none
   */
  planFor(facts: Readonly<Record<string, unknown>>, resource: ResourceKind, present: string | null): Plan {
    if (this.#fits(this.complete, facts, present)) return this.complete;
    const known = this.#plans.get(resource) ?? NO_PLANS;
    for (const plan of known) if (this.#fits(plan, facts, present)) return plan;
    const missing = this.#needs.map((need) => missingFact(facts, need, present));
    const reasons = new Map(this.#needs.map((need, i) => [need, missing[i] ?? null]));
    const steps = this.rules.map((rule) => {
      const reason = rule.needs.map((need) => reasons.get(need) ?? null).find((one) => one !== null) ?? null;
      return stepOf(rule, reason);
    });
    const plan = new Plan(missing, steps, known.length < KEPT);
    if (plan.isKept) this.#plans.set(resource, [...known, plan]);
    return plan;
  }

  #fits({ missing }: Plan, facts: Readonly<Record<string, unknown>>, present: string | null): boolean {
    const needs = this.#needs;
    for (let i = 0; i < needs.length; i++) if (missingFact(facts, needs[i]!, present) !== missing[i]) return false;
    return true;
  }

  /** Adds the subjects that were only counted; call it once, at the end of the run. */
  addCounted(record: NotJudgedRecord): void {
    for (const plans of this.#plans.values()) for (const plan of plans) plan.addCounted(record);
  }
}

/**
 * The time when a rule about a resource runs: before its content is judged or, if a rule about the content supersedes it,
 * after that.
 */
export type ResourcePhase = 'before-content' | 'after-content';

/** The rules of a run by their subject, without those that are turned off and affect nothing. */
export class RuleTable {
  readonly #bySubject: ReadonlyMap<Subject, SubjectRules>;
  readonly #aboutResources: Readonly<Record<ResourcePhase, SubjectRules>>;
  readonly #none = new SubjectRules([]);

  constructor(rules: readonly AnyRule[], overrides: SeverityOverrides) {
    const judged = inJudgingOrder(rules).filter((rule) => !isOff(overrides, rule) || affectsReport(rule));
    const subjects = new Set(judged.map(({ on }) => on));
    this.#bySubject = new Map(
      [...subjects].map((subject) => [subject, new SubjectRules(judged.filter(({ on }) => on === subject))]),
    );
    const aboutResources = judged.filter(({ on }) => on === 'resource');
    this.#aboutResources = {
      'before-content': new SubjectRules(aboutResources.filter(({ supersededBy }) => supersededBy === undefined)),
      'after-content': new SubjectRules(aboutResources.filter(({ supersededBy }) => supersededBy !== undefined)),
    };
  }

  /** The rules about a subject. */
  on(subject: Exclude<Subject, 'resource'>): SubjectRules {
    return this.#bySubject.get(subject) ?? this.#none;
  }

  /** The rules about the response of a resource's host. */
  onResource(phase: ResourcePhase): SubjectRules {
    return this.#aboutResources[phase];
  }

  /** Adds the subjects that were only counted; call it once, at the end of the run. */
  addCounted(record: NotJudgedRecord): void {
    for (const rules of [...this.#bySubject.values(), ...Object.values(this.#aboutResources)]) rules.addCounted(record);
  }
}

/** True if the symptoms or the visibility of apps depend on the findings of a rule even when it is turned off. */
function affectsReport(rule: AnyRule): boolean {
  const { hidesApp, severity, worstSeverity, symptom } = rule;
  return hidesApp === true || ((worstSeverity ?? severity) === 'error' && (symptom !== null || canRefuseVersion(rule)));
}

function stepOf(rule: AnyRule, reason: Missing | null): Step {
  return { rule, reason, check: rule.check };
}

function missingFact(facts: Readonly<Record<string, unknown>>, name: string, present: string | null): Missing | null {
  const fact = facts[name];
  return name !== present && isMissing(fact) ? fact : null;
}
