import type { AnyRule, ExplainedBy } from '../rules/rule.ts';
import { outranks, type Severity } from '../values/severity.ts';

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

/**
 * Findings of a rule on one resource: the highest reported severity, and that of each cause. Never changed, since
 * copied.
 */
interface FoundByRule {
  readonly severity: Severity;
  readonly byCause: ReadonlyMap<string, Severity>;
}

const NO_CAUSES: ReadonlyMap<string, Severity> = new Map();

/** Findings on one resource, by rule. Mostly nothing: the map is made for the first finding. */
export class Found {
  #byRule: Map<string, FoundByRule> | null = null;

  get isEmpty(): boolean {
    return this.#byRule === null;
  }

  get(rule: string): FoundByRule | undefined {
    return this.#byRule?.get(rule);
  }

  /** Records a finding under its rule, and under its rule and cause. */
  note(rule: string, cause: string | undefined, severity: Severity): void {
    this.#byRule ??= new Map();
    const { severity: known, byCause = NO_CAUSES } = this.#byRule.get(rule) ?? {};
    this.#byRule.set(rule, {
      severity: higher(severity, known),
      byCause: cause === undefined ? byCause : new Map(byCause).set(cause, higher(severity, byCause.get(cause))),
    });
  }

  /** The same findings, to which others are added. */
  copy(): Found {
    const copy = new Found();
    if (this.#byRule !== null) copy.#byRule = new Map(this.#byRule);
    return copy;
  }
}

/** A finding that explains others. */
export interface Superseder {
  rule: string;
  severity: Severity;
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
  if (found.isEmpty || explanations === undefined) return null;
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
