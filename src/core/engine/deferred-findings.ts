import type { Finding, Severity } from './report.ts';
import { outranks } from './supersede.ts';
import type { SymptomWeight } from './symptoms.ts';

/** Findings held until the end of a run because a request limit of their host may explain them. */
export class DeferredFindings {
  readonly #byOrigin = new Map<string, { findings: Finding[]; weights: Map<string, SymptomWeight> }>();
  /** The severity of the finding about each host's limit. */
  readonly #limits = new Map<string, Severity>();

  hold(origin: string, finding: Finding): void {
    this.#heldFor(origin).findings.push(finding);
  }

  weigh(origin: string, weight: SymptomWeight): void {
    this.#heldFor(origin).weights.set(`${weight.rule.id} ${weight.symptom} ${weight.severity}`, weight);
  }

  limit(origin: string, severity: Severity): void {
    this.#limits.set(origin, severity);
  }

  /** The findings that no limit explains, and their effects on symptoms. */
  release(): { findings: Finding[]; weights: SymptomWeight[] } {
    const released: { findings: Finding[]; weights: SymptomWeight[] } = { findings: [], weights: [] };
    for (const [origin, { findings, weights }] of this.#byOrigin) {
      const limit = this.#limits.get(origin);
      const isUnexplained = ({ severity }: { severity: Severity }): boolean =>
        limit === undefined || outranks(severity, limit);
      released.findings.push(...findings.filter(isUnexplained));
      released.weights.push(...[...weights.values()].filter(isUnexplained));
    }
    return released;
  }

  #heldFor(origin: string): { findings: Finding[]; weights: Map<string, SymptomWeight> } {
    let held = this.#byOrigin.get(origin);
    if (!held) this.#byOrigin.set(origin, (held = { findings: [], weights: new Map() }));
    return held;
  }
}
