import type { AnyRule } from '../rules/rule.ts';
import type { SubjectLocation } from './location.ts';
import { type Symptom, SYMPTOM_OF_KIND, SYMPTOMS, type SymptomStatus } from '../findings/report.ts';
import { outranks, type Severity } from '../values/severity.ts';

/** The status of each symptom (spec section 7), which depends on the findings, the verdicts and the missing facts. */

/** Input for the status of one symptom. */
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

export function symptomOf(rule: AnyRule, { resource }: SubjectLocation): Symptom | null {
  return rule.symptom === 'by-resource' ? SYMPTOM_OF_KIND[resource] : rule.symptom;
}

/** True if a rule can find something about that symptom at a location. */
export function isAboutSymptom(rule: AnyRule, { resource }: SubjectLocation, symptom: Symptom): boolean {
  // A rule about URLs with a symptom of its own also receives other resources, on which it finds nothing.
  return (rule.on !== 'resource' && rule.on !== 'url') || symptom === SYMPTOM_OF_KIND[resource];
}
