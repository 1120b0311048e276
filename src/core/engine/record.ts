import { AttestedCounter } from '../attestation/attested-versions.ts';
import type { AddressFacts, Missing, Probe, Resource, ResourceKind } from '../facts/facts.ts';
import { type DocumentFacts, isMissing } from '../facts/facts.ts';
import { blockedBy } from '../facts/missing.ts';
import { type AppVerdict, type Finding, type Symptom, SYMPTOMS } from '../findings/report.ts';
import type { Position } from '../json/input-file.ts';
import { type AnyRule, canRefuseVersion, type Problem } from '../rules/rule.ts';
import type { Severity } from '../values/severity.ts';
import type { LeftOut } from './comparison.ts';
import { CoverageRecord, notComparedAddresses } from './coverage.ts';
import { DeferredFindings } from './deferred.ts';
import type { EvaluatedRules } from './evaluated.ts';
import type { ClockDoubt } from '../http/clock.ts';
import { addAffected, appOf, dedupeKeyOf, isUnfixable, messageOf, toFinding, withClockDoubt } from './finding.ts';
import type { SubjectLocation } from './location.ts';
import { NotJudgedRecord, type Reason } from './not-judged.ts';
import { type Pending, resolvePositions } from './positions.ts';
import { isOff, type SeverityOverrides, severityOf } from './settings.ts';
import { Found, isSuperseded, supersederIn } from './superseding.ts';
import { isAboutSymptom, symptomOf, SymptomRecord } from './symptoms.ts';
import { HidingFindings } from './hiding.ts';

/** Subjects that were judged so far. */
interface Totals {
  versions: number;
  artifacts: number;
  bytes: number;
  /** Apps with a verdict that the manifest does not list. */
  unlistedApps: number;
}

interface RecordOptions {
  /** True if each finding names the party that has to act, and the responding server. */
  explains?: boolean;
  /** See JudgeOptions. */
  omitsReuseTimes?: boolean;
}

/** Numbers of findings so far. */
export interface FoundSoFar {
  findings: number;
  /** Errors and warnings. */
  faults: number;
}

/** The one place that collects what a run finds, and does not judge. Its parts do not know each other. */
export class RunRecord {
  readonly overrides: SeverityOverrides;
  readonly symptoms = new SymptomRecord();
  readonly hiding = new HidingFindings();
  /** The versions whose attestations prove what is required. */
  readonly attested = new AttestedCounter();
  readonly notJudged: NotJudgedRecord;
  readonly totals: Totals = { versions: 0, artifacts: 0, bytes: 0, unlistedApps: 0 };
  readonly verdicts: AppVerdict[] = [];
  /** The reason to doubt the clock of this machine; null for none. */
  clockDoubt: ClockDoubt | null = null;
  /** Requested comparisons that were not made. */
  readonly leftOut: LeftOut[] = [];
  /** Null without exceptions. */
  readonly evaluated: EvaluatedRules | null;
  /** The findings so far, except those that a host's limit may explain. */
  readonly findings: Finding[] = [];
  readonly foundSoFar: FoundSoFar = { findings: 0, faults: 0 };
  readonly #explains: boolean;
  readonly #coverage: CoverageRecord;
  readonly #deferred = new DeferredFindings();
  /** Findings reported once for several resources (a fault of their host, say), by rule, cause and what they are about. */
  readonly #reported = new Map<string, Finding>();
  readonly #pending = new Map<DocumentFacts, Pending[]>();

  constructor(
    overrides: SeverityOverrides,
    { explains = false, omitsReuseTimes = false }: RecordOptions = {},
    evaluated: EvaluatedRules | null = null,
  ) {
    this.overrides = overrides;
    this.notJudged = new NotJudgedRecord(overrides);
    this.evaluated = evaluated;
    this.#explains = explains;
    this.#coverage = new CoverageRecord(omitsReuseTimes);
  }

  /** Adds a problem, unless another finding about the same resource supersedes it. */
  add(rule: AnyRule, found: Problem, place: SubjectLocation): void {
    const problem = withClockDoubt(rule, found, this.clockDoubt);
    const severity = severityOf(this.overrides, rule, problem);
    if (isSuperseded(supersederIn(place.found, problem.supersededBy), severity)) return;
    noteFound(rule, problem, place, severity);
    this.#withhold(rule, problem, place);
    const symptom = symptomFor(rule, problem, place);
    if (symptom !== null) this.#addEffect(rule, problem, symptom, severity);
    const app = appOf(problem, place);
    const dedupeKey = dedupeKeyOf(rule, problem, place);
    const cause = rule.mergesCauses === true ? '' : problem.cause;
    const reportedKey = dedupeKey === null ? null : `${rule.id} ${cause} ${severity} ${dedupeKey}`;
    const reported = reportedKey === null ? undefined : this.#reported.get(reportedKey);
    if (reported) return addAffected(reported, app);
    const finding = toFinding(rule, problem, place, { severity, symptom, app, explains: this.#explains });
    this.foundSoFar.findings += 1;
    if (severity !== 'note') this.foundSoFar.faults += 1;
    if (problem.unlessLimited === undefined) this.findings.push(finding);
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
    if (!isErrorItself(rule, problem)) return;
    if (isSuperseded(supersederIn(place.found, rule.supersededBy, problem.cause), 'error')) return;
    if (isSuperseded(supersederIn(place.found, problem.supersededBy), 'error')) return;
    this.#withhold(rule, problem, place);
    const symptom = symptomFor(rule, problem, place);
    if (symptom === null) return;
    this.symptoms.markUnknown(symptom);
    this.notJudged.addTurnedOff(rule, place.resource);
  }

  addNotJudged(rule: AnyRule, place: SubjectLocation, reason: Reason): void {
    if (isOff(this.overrides, rule)) return;
    if (reason.runWide && this.notJudged.hasRunWide(rule, reason)) return;
    const symptom = symptomOf(rule, place);
    // Notes do not make a symptom suspected.
    if (
      symptom &&
      !reason.intentional &&
      isAboutSymptom(rule, place, symptom) &&
      severityOf(this.overrides, rule) !== 'note'
    )
      this.symptoms.markUnknown(symptom);
    if (reason.runWide) return this.notJudged.addRunWide(rule, reason);
    const [blocker] =
      reason.missing.code === 'blocked-by' || this.notJudged.isCounted(rule)
        ? []
        : this.hiding.rulesBlocking(place.found, rule.id);
    this.notJudged.addPlace(rule, place, blocker === undefined ? reason.missing : blockedBy(blocker).missing);
  }

  /**
   * Resolves the positions of the findings in a document, all in one pass, and releases the document.
   * @param positionOf the position of a value in a document that is not JSON
   */
  closeDocument(document: DocumentFacts, positionOf?: (pointer: string) => Position): void {
    const pending = this.#pending.get(document);
    if (pending === undefined) return;
    this.#pending.delete(document);
    if (positionOf === undefined) return resolvePositions(pending, document);
    for (const { finding } of pending) Object.assign(finding, positionOf(finding.pointer ?? ''));
  }

  /** Records a document that was a cached copy of that age, in seconds: later publications are missing from it. */
  addStaleCopy(resource: ResourceKind, age: number): void {
    this.#coverage.addStaleCopy(resource, age);
    this.symptoms.markUnknown('app-does-not-appear', 'checksum-mismatch');
    if (resource === 'manifest') this.symptoms.markUnknown('icon-does-not-display');
  }

  /** Records facts that were reused from an earlier run: all of them, or only the views. */
  addReused(resource: ResourceKind, facts: Pick<Resource, 'reusedFrom' | 'viewsReusedFrom'>): void {
    this.#coverage.addReused(resource, facts);
  }

  /** Records that HEAD and preflights were sent for only some resources of a kind. */
  addSampled(resource: ResourceKind, head: Probe | Missing): void {
    if (!isMissing(head) || head.missing.code !== 'sampled' || this.notJudged.wasNoted(`${resource} sampled`)) return;
    this.notJudged.addSkipped(resource, head.missing);
  }

  /** Records the addresses of a host that were not compared, each host once. */
  addAddresses(resource: ResourceKind, addresses: AddressFacts | Missing): void {
    for (const reason of notComparedAddresses(addresses))
      if (!this.notJudged.wasNoted(JSON.stringify(reason))) this.notJudged.addSkipped(resource, reason);
  }

  /** Records a version whose required attestation is not known: the run does not prove what it was to prove. */
  addUndecidedAttestation(): void {
    this.#coverage.addUndecidedAttestation();
  }

  /**
   * Adds what was held until the end of the run; call it once, after everything was judged except the exceptions.
   * @param incomplete why the run did not observe everything, or null
   */
  close(incomplete: string | null): void {
    const { findings, effects } = this.#deferred.release();
    this.findings.push(...findings);
    for (const effect of effects) this.symptoms.add(effect);
    this.notJudged.listFurther();
    for (const { resource, reason } of this.#coverage.skipped()) this.notJudged.addSkipped(resource, reason);
    const why = this.#coverage.whyIncomplete();
    if (why !== null) this.notJudged.addIncomplete(why);
    if (incomplete === null) return;
    this.notJudged.addIncomplete(incomplete);
    // A symptom that was not examined is not clear.
    this.symptoms.markUnknown(...SYMPTOMS);
  }

  /**
   * Records that a problem keeps subscribers from seeing the app or a version, or blocks the facts about a resource.
   * Settings do not change what a subscriber sees, so the rule's own severity counts here.
   */
  #withhold(rule: AnyRule, problem: Problem, place: SubjectLocation): void {
    const isError = isErrorItself(rule, problem);
    if (rule.hidesApp && (problem.hidesApp ?? isError)) {
      this.hiding.block(place.found, rule.id);
      const app = appOf(problem, place);
      const isDocument = place.resource === 'metadata' || place.resource === 'manifest';
      if (isDocument && app !== null) this.hiding.hide(app, rule.id);
    }
    const version = problem.version ?? place.version;
    // Subscribers have had it since it was published.
    if (isUnfixable(rule, problem, place)) return;
    if (version === null || !isError || !canRefuseVersion(rule)) return;
    this.hiding.addVersionError(version, { rule: rule.id, message: messageOf(problem), resource: place.resource });
  }

  #addEffect(rule: AnyRule, problem: Problem, symptom: Symptom, reported: Severity): void {
    // An error by default is suspected even if it is reported as a note.
    const severity = isErrorItself(rule, problem) && reported === 'note' ? 'warning' : reported;
    const effect = { symptom, rule, severity };
    if (problem.unlessLimited === undefined) this.symptoms.add(effect);
    else this.#deferred.holdEffect(problem.unlessLimited, effect);
  }

  #deferPosition(finding: Finding, problem: Problem, { document }: SubjectLocation): void {
    if (document === null) return;
    const pending = this.#pending.get(document) ?? [];
    pending.push({ finding, offset: problem.offset ?? null, onName: problem.onName === true });
    this.#pending.set(document, pending);
  }
}

/** Records the problem for the rules that it supersedes. A host's limit may still explain it, if it is deferred. */
function noteFound(rule: AnyRule, problem: Problem, place: SubjectLocation, severity: Severity): void {
  if (problem.unlessLimited === undefined) place.found.note(rule.id, problem.cause, severity);
  const listedAs = problem.listedAs ?? problem.version;
  if (listedAs === undefined) return;
  place.byVersion ??= new Map();
  const found = place.byVersion.get(listedAs) ?? new Found();
  found.note(rule.id, undefined, severity);
  place.byVersion.set(listedAs, found);
}

/** True for an error, whatever the settings say. */
function isErrorItself(rule: AnyRule, { severity }: Problem): boolean {
  return (severity ?? rule.severity) === 'error';
}

/** The symptom that a problem affects. */
function symptomFor(rule: AnyRule, problem: Problem, place: SubjectLocation): Symptom | null {
  return problem.symptom === undefined ? symptomOf(rule, place) : problem.symptom;
}
