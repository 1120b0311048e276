import type { AnyRule, ExplainedBy } from '../rules/rule.ts';
import { type Symptom, SYMPTOMS, type SymptomStatus } from '../findings/report.ts';
import { SEVERITIES, type Severity } from '../values/severity.ts';

/** The status of each symptom (spec section 7), which depends on the findings, the verdicts and the missing facts. */

/** What the status of one symptom depends on. */
export interface SymptomInput {
  /** The highest severity among the findings with this symptom; null if there is none. */
  severity: Severity | null;
  /** True if one of these findings confirms the symptom by itself. */
  confirmed: boolean;
  /** True if the symptom is "app does not appear" and an app is known to be hidden. */
  hidden: boolean;
  /** True if a fact is missing that a rule about this symptom needs. */
  unknown: boolean;
}

/**
 * Notes do not make a symptom suspected. An error confirms every symptom except "app does not appear", which a hidden
 * app confirms.
 */
export function statusOf(symptom: Symptom, input: SymptomInput): SymptomStatus['status'] {
  const { severity, confirmed, hidden, unknown } = input;
  if (hidden || confirmed || (severity === 'error' && symptom !== 'app-does-not-appear')) return 'confirmed';
  if (severity === 'error' || severity === 'warning') return 'suspected';
  return unknown ? 'not-judged' : 'clear';
}

/** The higher of two severities. */
function highest(one: Severity | null, other: Severity): Severity {
  return one !== null && outranks(one, other) ? one : other;
}

/** The effect of a finding on a symptom. */
export interface SymptomEffect {
  symptom: Symptom;
  rule: AnyRule;
  severity: Severity;
}

/** Collects what the symptoms of one run depend on. */
export class SymptomRecord {
  /** The findings that affect each symptom, including those reported once for several resources. */
  readonly #findings = new Map<Symptom, { severity: Severity | null; confirmed: boolean; rules: Set<string> }>();
  readonly #unknown = new Set<Symptom>();

  /** Records that a finding affects a symptom. */
  add({ symptom, rule, severity }: SymptomEffect): void {
    const known = this.#findings.get(symptom) ?? { severity: null, confirmed: false, rules: new Set<string>() };
    known.severity = highest(known.severity, severity);
    if (rule.confirms && severity === 'error') known.confirmed = true;
    if (severity !== 'note') known.rules.add(rule.id);
    this.#findings.set(symptom, known);
  }

  /** Records that a fact about these symptoms is missing, so that they are not clear. */
  markUnknown(...symptoms: readonly Symptom[]): void {
    for (const symptom of symptoms) this.#unknown.add(symptom);
  }

  /** @param hiding ids of the rules that hide apps */
  statuses(hiding: readonly string[]): SymptomStatus[] {
    return SYMPTOMS.map((id) => {
      const { severity = null, confirmed = false, rules = [] } = this.#findings.get(id) ?? {};
      const hidden = id === 'app-does-not-appear' ? hiding : [];
      const input = { severity, confirmed, hidden: hidden.length > 0, unknown: this.#unknown.has(id) };
      return { id, status: statusOf(id, input), rules: [...new Set([...rules, ...hidden])].sort() };
    });
  }
}

/**
 * When a finding supersedes others about the same resource (`supersededBy` of a rule or a problem): it explains them, for
 * the declared reason, and its severity is the same as theirs or higher. All severities are the reported ones, settings included.
 */

/** The rules with each one after those that supersede it; otherwise in the given order. */
export function inJudgingOrder(rules: readonly AnyRule[]): readonly AnyRule[] {
  const given = new Map(rules.map((rule) => [rule.id, rule]));
  const ordered = new Set<AnyRule>();
  const add = (rule: AnyRule): void => {
    for (const { rule: id } of rule.supersededBy ?? []) {
      const other = given.get(id);
      if (other !== undefined && !ordered.has(other)) add(other);
    }
    ordered.add(rule);
  };
  for (const rule of rules) add(rule);
  return [...ordered];
}

/** What a rule found on one resource: the highest reported severity, and that of each cause. Never changed, since copied. */
interface FoundByRule {
  readonly severity: Severity;
  readonly byCause: ReadonlyMap<string, Severity>;
}

/** What was found on one resource, by rule. */
export type Found = Map<string, FoundByRule>;

const NO_CAUSES: ReadonlyMap<string, Severity> = new Map();

/** A finding that explains others. */
export interface Superseder {
  rule: string;
  severity: Severity;
}

/** Records a finding under its rule, and under its rule and cause. */
export function noteFound(found: Found, rule: string, cause: string | undefined, severity: Severity): void {
  const { severity: known, byCause = NO_CAUSES } = found.get(rule) ?? {};
  found.set(rule, {
    severity: higher(severity, known),
    byCause: cause === undefined ? byCause : new Map(byCause).set(cause, higher(severity, byCause.get(cause))),
  });
}

function higher(one: Severity, other: Severity | undefined): Severity {
  return other === undefined || outranks(one, other) ? one : other;
}

/**
 * The most severe of the explaining findings; null if none of them was found.
 * @param cause of the problem that may be explained; null for all problems of a rule, whatever their cause
 */
export function supersederIn(
  found: Found,
  explanations: readonly ExplainedBy[] | undefined,
  cause: string | null = null,
): Superseder | null {
  if (found.size === 0 || explanations === undefined) return null;
  let strongest: Superseder | null = null;
  for (const { rule, causes, only } of explanations) {
    if (only !== undefined && (cause === null || !only.includes(cause))) continue;
    const byRule = found.get(rule);
    if (byRule === undefined) continue;
    const severities = causes?.map((name) => byRule.byCause.get(name)) ?? [byRule.severity];
    for (const severity of severities)
      if (severity !== undefined && (strongest === null || outranks(severity, strongest.severity)))
        strongest = { rule, severity };
  }
  return strongest;
}

/** True if a finding of that severity is omitted because of the superseder. */
export function isSuperseded(superseder: Superseder | null, severity: Severity): boolean {
  return superseder !== null && !outranks(severity, superseder.severity);
}

/** True if the first severity is higher than the second. */
export function outranks(one: Severity, other: Severity): boolean {
  return SEVERITIES.indexOf(one) < SEVERITIES.indexOf(other);
}
