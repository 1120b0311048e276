import type { Missing, ResourceKind } from '../facts/facts.ts';
import type { NotJudgedReason } from '../facts/missing.ts';
import { reasonText } from '../rules/lookup.ts';
import type { AnyRule } from '../rules/rule.ts';
import { redact } from '../text/text.ts';
import type { SubjectLocation } from './location.ts';
import type { NotJudged } from '../findings/report.ts';
import { isOff, type SeverityOverrides } from './settings.ts';
import type { LeftOut } from './comparison.ts';

// The number of entries of one rule that are listed individually; further ones are counted in one entry.
const LISTED = 200;

/** A missing fact, or another reason for not judging a rule. */
export type Reason = Omit<Missing, 'missing'> & { missing: NotJudgedReason };

/** Collects the rules that were not judged in one run, with the reasons. */
export class NotJudgedRecord {
  readonly #overrides: SeverityOverrides;
  readonly #entries: NotJudged[] = [];
  readonly #listed = new Map<string, number>();
  readonly #further = new Map<string, { entry: NotJudged; count: number }>();
  /** The rules not judged for a reason that holds for the whole run, by that reason. */
  readonly #runWide = new Map<Reason, Set<AnyRule>>();
  readonly #noted = new Set<string>();
  #hasCrashed = false;
  #isIncomplete = false;

  constructor(overrides: SeverityOverrides) {
    this.#overrides = overrides;
  }

  /** True if a rule failed. */
  get hasCrashed(): boolean {
    return this.#hasCrashed;
  }

  /** True if the run did not observe everything that it should have. */
  get isIncomplete(): boolean {
    return this.#isIncomplete || this.#hasCrashed;
  }

  /** True if the rule was not judged for a reason that holds for the whole run, and nothing is added by another place. */
  hasRunWide(rule: AnyRule, reason: Reason): boolean {
    return this.#runWide.get(reason)?.has(rule) === true;
  }

  /** Records a rule that is not judged for a reason that holds for the whole run. */
  addRunWide(rule: AnyRule, reason: Reason): void {
    // A rule with symptom 'by-resource' may affect a different symptom for each resource.
    if (rule.symptom !== 'by-resource') {
      const rules = this.#runWide.get(reason) ?? new Set();
      this.#runWide.set(reason, rules.add(rule));
    }
    if (!this.wasNoted(`${rule.id} ${JSON.stringify(reason.missing)}`))
      this.#entries.push(notJudgedEntry(rule.id, {}, reason.missing));
  }

  /** True if further subjects of the rule are only counted. */
  isCounted({ id }: AnyRule): boolean {
    return this.#further.has(id);
  }

  addPlace(rule: AnyRule, { app, version, resource }: SubjectLocation, reason: NotJudgedReason): void {
    if (reason.code === 'rule-crashed') this.#hasCrashed = true;
    const further = this.#further.get(rule.id);
    if (further !== undefined) {
      further.count += 1;
      return;
    }
    const entry = notJudgedEntry(rule.id, { app, version, resource }, reason);
    const listed = this.#listed.get(rule.id) ?? 0;
    this.#listed.set(rule.id, listed + 1);
    if (listed < LISTED) this.#entries.push(entry);
    else this.#further.set(rule.id, { entry, count: 1 });
  }

  /** Records a rule that the settings turn off, and that would report an error about this kind of resource. */
  addTurnedOff({ id }: AnyRule, resource: ResourceKind): void {
    if (!this.wasNoted(`${id} ${resource} turned off`))
      this.#entries.push(notJudgedEntry(id, { resource }, { code: 'turned-off' }));
  }

  /** Records a resource kind that was intentionally not observed: it is reported, and leaves no symptom unknown. */
  addSkipped(resource: ResourceKind, reason: NotJudgedReason): void {
    this.#entries.push(notJudgedEntry('*', { resource }, reason));
  }

  /** Records why the run did not observe everything. */
  addIncomplete(why: string): void {
    this.#isIncomplete = true;
    this.#entries.push(notJudgedEntry('*', {}, { code: 'incomplete', why }));
  }

  /** Records a requested comparison that was not made: the run is incomplete, unless nothing could be compared. */
  addLeftOut({ app, source, reason, isIncomplete }: LeftOut): void {
    if (isIncomplete) this.#isIncomplete = true;
    const resource = isIncomplete ? null : app === null ? 'manifest' : 'metadata';
    this.#entries.push(notJudgedEntry('*', { app, resource }, { code: 'not-compared', app, source, reason }));
  }

  /**
   * Effect of adding the same rule and reason again, about another subject of the same resource kind: `listed`, another
   * entry; `counted`, one more of the further subjects; `settled`, nothing.
   */
  stateOf(rule: AnyRule, reason: Reason): 'listed' | 'counted' | 'settled' {
    if (isOff(this.#overrides, rule) || reason.runWide) return 'settled';
    return this.#further.has(rule.id) ? 'counted' : 'listed';
  }

  /** Adds further subjects of a rule whose subjects are only counted. */
  addCount({ id }: AnyRule, count: number): void {
    const further = this.#further.get(id);
    if (further !== undefined) further.count += count;
  }

  /** True if this was noted before; for what is judged or reported once per run. */
  wasNoted(what: string): boolean {
    if (this.#noted.has(what)) return true;
    this.#noted.add(what);
    return false;
  }

  /** Adds an entry for the further subjects of each rule; call it once, at the end of the run. */
  listFurther(): void {
    for (const { entry, count } of this.#further.values()) {
      this.#entries.push({ ...entry, app: null, version: null, count });
    }
  }

  get entries(): readonly NotJudged[] {
    return this.#entries;
  }
}

/**
 * An entry of a report's `notJudged`.
 * @param rule the rule's id, or `*` for the run as a whole
 */
export function notJudgedEntry(
  rule: string,
  { app = null, version = null, resource = null }: Partial<Pick<NotJudged, 'app' | 'version' | 'resource'>>,
  reason: NotJudgedReason,
): NotJudged {
  const about = rule === '*' ? resource : null;
  return {
    rule,
    app,
    version,
    resource,
    code: reason.code,
    reason: redact(reasonText(reason, about)),
    blockedBy: reason.code === 'blocked-by' ? reason.rule : null,
    count: null,
  };
}
