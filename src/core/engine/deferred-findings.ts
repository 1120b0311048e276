import type { Finding, Severity, Symptom } from './report.ts';
import type { AnyRule } from '../rules/rule.ts';
import { outranks } from './supersede.ts';

/** What a finding does to a symptom. */
export interface SymptomWeight {
  symptom: Symptom;
  rule: AnyRule;
  severity: Severity;
}

/** Findings that wait for the end of a run, because a limit of their host on requests may explain them. */
export class DeferredFindings {
  readonly byOrigin = new Map<string, { findings: Finding[]; weights: Map<string, SymptomWeight> }>();
  /** The severity of the finding about the limit of a host. */
  readonly limits = new Map<string, Severity>();

  hold(origin: string, finding: Finding): void {
    this.of(origin).findings.push(finding);
  }

  weigh(origin: string, weight: SymptomWeight): void {
    this.of(origin).weights.set(`${weight.rule.id} ${weight.symptom} ${weight.severity}`, weight);
  }

  limit(origin: string, severity: Severity): void {
    this.limits.set(origin, severity);
  }

  /** Those that no limit explains: findings, and what they do to symptoms. */
  release(): { findings: Finding[]; weights: SymptomWeight[] } {
    const left = [...this.byOrigin].flatMap(([origin, { findings, weights }]) => {
      const limit = this.limits.get(origin);
      const isLeft = ({ severity }: { severity: Severity }): boolean =>
        limit === undefined || outranks(severity, limit);
      return [{ findings: findings.filter(isLeft), weights: [...weights.values()].filter(isLeft) }];
    });
    return { findings: left.flatMap(({ findings }) => findings), weights: left.flatMap(({ weights }) => weights) };
  }

  of(origin: string): { findings: Finding[]; weights: Map<string, SymptomWeight> } {
    let held = this.byOrigin.get(origin);
    if (!held) this.byOrigin.set(origin, (held = { findings: [], weights: new Map() }));
    return held;
  }
}
