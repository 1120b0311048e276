import type { Finding } from '../findings/report.ts';
import { outranks, type Severity } from '../values/severity.ts';
import type { SymptomEffect } from './symptoms.ts';

/** Findings held until the end of a run because a request limit of their host may explain them. */
export class DeferredFindings {
  readonly #byOrigin = new Map<string, { findings: Finding[]; effects: Map<string, SymptomEffect> }>();
  /** The severity of the finding about each host's limit. */
  readonly #limits = new Map<string, Severity>();

  /** Holds a finding about a host with that origin. */
  holdFinding(origin: string, finding: Finding): void {
    this.#heldFor(origin).findings.push(finding);
  }

  /** Holds the effect of such a finding on a symptom. */
  holdEffect(origin: string, effect: SymptomEffect): void {
    this.#heldFor(origin).effects.set(`${effect.rule.id} ${effect.symptom} ${effect.severity}`, effect);
  }

  /** Records that the host limits requests. */
  noteLimit(origin: string, severity: Severity): void {
    this.#limits.set(origin, severity);
  }

  /** The findings that no limit explains, and their effects on symptoms. */
  release(): { findings: Finding[]; effects: SymptomEffect[] } {
    const released: { findings: Finding[]; effects: SymptomEffect[] } = { findings: [], effects: [] };
    for (const [origin, { findings, effects }] of this.#byOrigin) {
      const limit = this.#limits.get(origin);
      const isUnexplained = ({ severity }: { severity: Severity }): boolean =>
        limit === undefined || outranks(severity, limit);
      released.findings.push(...findings.filter(isUnexplained));
      released.effects.push(...[...effects.values()].filter(isUnexplained));
    }
    return released;
  }

  #heldFor(origin: string): { findings: Finding[]; effects: Map<string, SymptomEffect> } {
    let held = this.#byOrigin.get(origin);
    if (!held) this.#byOrigin.set(origin, (held = { findings: [], effects: new Map() }));
    return held;
  }
}
