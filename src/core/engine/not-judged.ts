import type { Missing, ResourceKind } from '../facts/facts.ts';
import { blockedBy, type NotJudgedReason } from '../facts/missing.ts';
import { reasonText } from '../rules/lookup.ts';
import type { AnyRule } from '../rules/rule.ts';
import { redact } from '../text/text.ts';
import type { SubjectLocation } from './location.ts';
import { type NotJudged, type Symptom, SYMPTOM_OF_KIND } from '../findings/report.ts';
import { isOff, type SeverityOverrides, severityOf } from './settings.ts';
import type { LeftOut } from './comparison.ts';
import type { SymptomRecord } from './symptoms.ts';
import type { HidingFindings } from './visibility.ts';

// The number of entries of one rule that are listed individually; further ones are counted in one entry.
const LISTED = 200;

/** A missing fact, or another reason for not judging a rule. */
type Reason = Omit<Missing, 'missing'> & { missing: NotJudgedReason };

/** Collects the rules that were not judged in one run, with the reasons. */
export class NotJudgedRecord {
  readonly #overrides: SeverityOverrides;
  readonly #symptoms: SymptomRecord;
  readonly #hiding: HidingFindings;
  readonly #entries: NotJudged[] = [];
  readonly #listed = new Map<string, number>();
  readonly #further = new Map<string, { entry: NotJudged; count: number }>();
  /** The rules not judged for a reason that holds for the whole run, by that reason. */
  readonly #runWide = new Map<Reason, Set<AnyRule>>();
  readonly #noted = new Set<string>();
  #hasCrashed = false;
  #isIncomplete = false;

  constructor(overrides: SeverityOverrides, symptoms: SymptomRecord, hiding: HidingFindings) {
    this.#overrides = overrides;
    this.#symptoms = symptoms;
    this.#hiding = hiding;
  }

  /** True if a rule failed. */
  get hasCrashed(): boolean {
    return this.#hasCrashed;
  }

  /** True if the run did not observe everything that it should have. */
  get isIncomplete(): boolean {
    return this.#isIncomplete || this.#hasCrashed;
  }

  add(rule: AnyRule, place: SubjectLocation, reason: Reason): void {
    if (isOff(this.#overrides, rule)) return;
    if (reason.runWide && this.#runWide.get(reason)?.has(rule)) return;
    if (reason.missing.code === 'rule-crashed') this.#hasCrashed = true;
    if (!reason.intentional) this.#markUnknown(rule, place);
    if (reason.runWide) this.#addRunWide(rule, reason);
    else this.#addPlace(rule, place, reason.missing);
  }

  /** Records that the symptom of a rule that was not judged is unknown. */
  #markUnknown(rule: AnyRule, place: SubjectLocation): void {
    const symptom = symptomOf(rule, place);
    // A rule about URLs with a symptom of its own also receives other resources, on which it finds nothing.
    const isAbout = (rule.on !== 'resource' && rule.on !== 'url') || symptom === SYMPTOM_OF_KIND[place.resource];
    // Notes do not make a symptom suspected.
    if (symptom && isAbout && severityOf(this.#overrides, rule) !== 'note') this.#symptoms.markUnknown(symptom);
  }

  #addRunWide(rule: AnyRule, reason: Reason): void {
    // A rule with symptom 'by-resource' may affect a different symptom for each resource.
    if (rule.symptom !== 'by-resource') {
      const rules = this.#runWide.get(reason) ?? new Set();
      this.#runWide.set(reason, rules.add(rule));
    }
    if (!this.wasNoted(`${rule.id} ${JSON.stringify(reason.missing)}`))
      this.#entries.push(notJudgedEntry(rule.id, {}, reason.missing));
  }

  #addPlace(rule: AnyRule, place: SubjectLocation, reason: NotJudgedReason): void {
    const further = this.#further.get(rule.id);
    if (further !== undefined) {
      further.count += 1;
      return;
    }
    const [blocker] = reason.code === 'blocked-by' ? [] : this.#hiding.rulesBlocking(place.found, rule.id);
    const { app, version, resource } = place;
    const why = blocker === undefined ? reason : blockedBy(blocker).missing;
    const entry = notJudgedEntry(rule.id, { app, version, resource }, why);
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
   * What adding the same rule and reason again, about another subject of the same resource kind, does: `listed`, another
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

/** The symptom that a rule affects at a location. */
export function symptomOf(rule: AnyRule, { resource }: SubjectLocation): Symptom | null {
  return rule.symptom === 'by-resource' ? SYMPTOM_OF_KIND[resource] : rule.symptom;
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
