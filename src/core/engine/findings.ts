import { type DocumentFacts, type HttpViews, isMissing } from '../facts/facts.ts';
import type { Position } from '../json/input-file.ts';
import { type AnyRule, mayRefuse, type Problem } from '../rules/rule.ts';
import { shorten } from '../text/text.ts';
import type { SubjectLocation } from './location.ts';
import { addAffected, appOf, dedupeKeyOf, makeFinding, messageOf, redactedEvidence } from './make-finding.ts';
import { type NotJudgedRecord, symptomOf } from './not-judged.ts';
import { withSteps } from './owner.ts';
import { type Pending, resolvePositions } from './positions.ts';
import type { Finding, Symptom } from '../findings/report.ts';
import type { Evidence } from '../values/evidence.ts';
import { outranks, type Severity } from '../values/severity.ts';
import { type SeverityOverrides, severityOf } from './settings.ts';
import { Found, isSuperseded, supersederIn } from './superseding.ts';
import type { SymptomEffect, SymptomRecord } from './symptoms.ts';
import type { HidingFindings } from './visibility.ts';

/** Findings held until the end of a run because a request limit of their host may explain them. */
class DeferredFindings {
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

/** Adds evidence to a finding from the responses of its resource's URL (null when it was not requested). */
type Annotate = (finding: Readonly<Finding>, web: HttpViews | null) => Evidence;

/** Functions that are called with each finding once it is made, before it is known whether a host's limit explains it. */
export interface FindingHooks {
  annotate?: Annotate | null;
  onFinding?: ((finding: Readonly<Finding>) => void) | null;
}

/** The records of a run that its findings change. */
interface FindingRecords {
  symptoms: SymptomRecord;
  hiding: HidingFindings;
  notJudged: NotJudgedRecord;
}

/** Collects the findings of one run, each fault once. */
export class FindingCollector {
  readonly #overrides: SeverityOverrides;
  readonly #hooks: FindingHooks;
  readonly #records: FindingRecords;
  readonly #findings: Finding[] = [];
  /** Findings reported once for several resources (a fault of their host, say), by rule, cause and what they are about. */
  readonly #reported = new Map<string, Finding>();
  readonly #deferred = new DeferredFindings();
  readonly #pending = new Map<DocumentFacts, Pending[]>();

  constructor(overrides: SeverityOverrides, records: FindingRecords, hooks: FindingHooks = {}) {
    this.#overrides = overrides;
    this.#records = records;
    this.#hooks = hooks;
  }

  /** The findings so far, except those that a host's limit may explain. */
  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** Adds a problem, unless another finding about the same resource supersedes it. */
  add(rule: AnyRule, problem: Problem, place: SubjectLocation): void {
    const severity = severityOf(this.#overrides, rule, problem);
    if (isSuperseded(supersederIn(place.found, problem.supersededBy), severity)) return;
    this.#noteFound(rule, problem, place, severity);
    this.#hide(rule, problem, place);
    this.#refuse(rule, problem, place);
    const symptom = symptomFor(rule, problem, place);
    if (symptom !== null) this.#addEffect(rule, problem, symptom, severity);
    const app = appOf(problem, place);
    const dedupeKey = dedupeKeyOf(rule, problem, place);
    const cause = rule.mergesCauses === true ? '' : problem.cause;
    const reportedKey = dedupeKey === null ? null : `${rule.id} ${cause} ${severity} ${dedupeKey}`;
    const reported = reportedKey === null ? undefined : this.#reported.get(reportedKey);
    if (reported) return addAffected(reported, app);
    const finding = this.#complete(makeFinding(rule, problem, place, { severity, symptom, app }), place);
    if (problem.unlessLimited === undefined) this.#findings.push(finding);
    else this.#deferred.holdFinding(problem.unlessLimited, finding);
    if (rule.on === 'host' && place.url !== null) this.#deferred.noteLimit(place.url, severity);
    if (reportedKey !== null) this.#reported.set(reportedKey, finding);
    this.#deferPosition(finding, problem, place);
  }

  /**
   * Records what a disabled rule would report as an error: the app stays hidden, and the symptom is not clear. Nothing
   * else depends on it.
   */
  addTurnedOff(rule: AnyRule, problem: Problem, place: SubjectLocation): void {
    const severity = problem.severity ?? rule.severity;
    if (severity !== 'error') return;
    if (isSuperseded(supersederIn(place.found, rule.supersededBy, problem.cause), severity)) return;
    if (isSuperseded(supersederIn(place.found, problem.supersededBy), severity)) return;
    this.#hide(rule, problem, place);
    this.#refuse(rule, problem, place);
    const symptom = symptomFor(rule, problem, place);
    if (symptom === null) return;
    this.#records.symptoms.markUnknown(symptom);
    this.#records.notJudged.addTurnedOff(rule, place.resource);
  }

  /**
   * Resolves the positions of the findings in a document, all in one pass, and releases the document.
   * @param positionOf the position of a value in a document that is not JSON
   */
  resolvePositions(document: DocumentFacts, positionOf?: (pointer: string) => Position): void {
    const pending = this.#pending.get(document);
    if (pending === undefined) return;
    this.#pending.delete(document);
    if (positionOf === undefined) return resolvePositions(pending, document);
    for (const { finding } of pending) Object.assign(finding, positionOf(finding.pointer ?? ''));
  }

  /** Adds the findings that no host limit explains; call it once, after all facts about hosts were judged. */
  releaseDeferred(): void {
    const { findings, effects } = this.#deferred.release();
    this.#findings.push(...findings);
    for (const effect of effects) this.#records.symptoms.add(effect);
  }

  /** Records the problem for the rules that it supersedes. A host's limit may still explain it, if it is deferred. */
  #noteFound(rule: AnyRule, problem: Problem, place: SubjectLocation, severity: Severity): void {
    if (problem.unlessLimited === undefined) place.found.note(rule.id, problem.cause, severity);
    if (problem.version === undefined) return;
    place.byVersion ??= new Map();
    const found = place.byVersion.get(problem.version) ?? new Found();
    found.note(rule.id, undefined, severity);
    place.byVersion.set(problem.version, found);
  }

  /**
   * Hides the app if the problem keeps subscribers from seeing it, and records what blocks the facts about a resource.
   * Settings do not change what a subscriber sees, so the rule's own severity counts here.
   */
  #hide(rule: AnyRule, problem: Problem, place: SubjectLocation): void {
    const isHiding = problem.hidesApp ?? (problem.severity ?? rule.severity) === 'error';
    if (!rule.hidesApp || !isHiding) return;
    this.#records.hiding.block(place.found, rule.id);
    const app = appOf(problem, place);
    const isDocument = place.resource === 'metadata' || place.resource === 'manifest';
    if (isDocument && app !== null) this.#records.hiding.hide(app, rule.id);
  }

  /** Records an error about a version, which may keep it from being offered; as for apps, settings do not change that. */
  #refuse(rule: AnyRule, problem: Problem, place: SubjectLocation): void {
    const version = problem.version ?? place.version;
    if (version === null || !mayRefuse(rule)) return;
    if ((problem.severity ?? rule.severity) !== 'error') return;
    const message = messageOf(problem);
    this.#records.hiding.addVersionError(version, { rule: rule.id, message, resource: place.resource });
  }

  #addEffect(rule: AnyRule, problem: Problem, symptom: Symptom, reported: Severity): void {
    // An error by default is suspected even if it is reported as a note.
    const isError = (problem.severity ?? rule.severity) === 'error';
    const effect = { symptom, rule, severity: isError && reported === 'note' ? 'warning' : reported } as const;
    if (problem.unlessLimited === undefined) this.#records.symptoms.add(effect);
    else this.#deferred.holdEffect(problem.unlessLimited, effect);
  }

  /** Adds the steps to take and the evidence of the response, and calls the hooks. */
  #complete(finding: Finding, place: SubjectLocation): Finding {
    const { annotate, onFinding } = this.#hooks;
    const web = isMissing(place.web) ? null : place.web;
    if (finding.severity !== 'note') finding.advice = shorten(withSteps(finding, web), 1200);
    if (annotate) finding.evidence = { ...finding.evidence, ...redactedEvidence(annotate(finding, web)) };
    onFinding?.(finding);
    return finding;
  }

  #deferPosition(finding: Finding, problem: Problem, { document }: SubjectLocation): void {
    if (document === null) return;
    const pending = this.#pending.get(document) ?? [];
    pending.push({ finding, offset: problem.offset ?? null, onName: problem.onName === true });
    this.#pending.set(document, pending);
  }
}

/** The symptom that a problem affects. */
function symptomFor(rule: AnyRule, problem: Problem, place: SubjectLocation): Symptom | null {
  return problem.symptom === undefined ? symptomOf(rule, place) : problem.symptom;
}
