import { withSteps } from './owner.ts';
import { isSafeKey } from '../registry/app-key.ts';
import { DeferredFindings, type SymptomWeight } from './deferred-findings.ts';
import type { DocumentFacts, Resource, ResourceKind, Missing, Probe, HttpViews } from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import { blockedBy, type NotJudgedReason, reasonText } from '../facts/missing.ts';
import { notJudgedEntry } from './not-judged.ts';
import { compareText, inReportOrder } from './order.ts';
import { type Pending, resolvePositions as placeAll } from './positions.ts';
import type {
  AppVerdict,
  CheckCommand,
  Evidence,
  Finding,
  NotJudged,
  Report,
  Severity,
  Summary,
  Symptom,
} from './report.ts';
import { SYMPTOM_OF_KIND, SYMPTOMS } from './report.ts';
import type { AnyRule, Problem } from '../rules/rule.ts';
import { type Found, isSuperseded, noteFound, type Superseder, supersederIn } from './supersede.ts';
import { type Bearing, highest, statusOf } from './symptoms.ts';
import { redact, shorten } from '../text/text.ts';
import { VERSION } from '../tool-version.ts';
import { sameAddress } from '../http/url.ts';

/** The location of a subject. `found` collects what the rules found on the same resource. */
export interface SubjectLocation {
  app: string | null;
  version: string | null;
  resource: ResourceKind;
  /** The document that `pointer` refers to. */
  document: DocumentFacts | null;
  pointer: string;
  url: string | null;
  file: string | null;
  /** The responses of the resource's URL. */
  web: HttpViews | Missing;
  found: Found;
  /** The same by version, for findings on the document that are about one of its versions. */
  byVersion?: Map<string, Found>;
}

/** A location that is not inside a document: the resource, and nothing else unless `more` says so. */
export function locationOf(
  resource: ResourceKind,
  web: SubjectLocation['web'],
  more: Partial<SubjectLocation> = {},
): SubjectLocation {
  const none = { app: null, version: null, document: null, pointer: '', url: null, file: null, found: new Map() };
  return { ...none, resource, web, ...more };
}

/** The location of a document as a whole. */
export function locationOfDocument(resource: 'manifest' | 'metadata', facts: DocumentFacts): SubjectLocation {
  return locationOf(resource, facts.web, { document: facts, url: facts.url, file: facts.file });
}

/** Adds evidence to a finding from the responses of its resource's URL (null when it was not requested). */
export type Annotate = (finding: Readonly<Finding>, web: HttpViews | null) => Evidence;

/** Functions that are called with each finding once it is made, before it is known whether a host's limit explains it. */
export interface FindingHooks {
  annotate?: Annotate | null;
  onFinding?: ((finding: Readonly<Finding>) => void) | null;
}

// The number of entries of one rule that `notJudged` lists individually; further ones are counted in one entry.
const LISTED = 200;

// The number of other affected apps that a finding names.
const NAMED = 20;

/** `notJudged` entries whose count was increased, and by how much. */
export type Counted = ReadonlyMap<{ count: number }, number>;

/** Collects the findings, the rules not judged, and the counts of one run, app by app. */
export class FindingCollector {
  readonly overrides: Readonly<Record<string, Severity | 'off'>>;
  readonly annotate: Annotate | null;
  readonly onFinding: NonNullable<FindingHooks['onFinding']> | null;
  readonly findings: Finding[] = [];
  readonly apps: AppVerdict[] = [];
  readonly notJudged: NotJudged[] = [];
  readonly unlisted = new Map<string, { entry: NotJudged; count: number }>();
  readonly perRule = new Map<string, number>();
  readonly noted = new Set<string>();
  /** Findings reported once for several resources (a fault of their host, say), by rule and by what they are about. */
  readonly reported = new Map<string, Finding>();
  /** The rules not judged for a reason that holds for the whole run, by that reason. */
  readonly everywhere = new Map<object, Set<AnyRule>>();
  readonly unjudgedSymptoms = new Set<Symptom>();
  /** The findings that bear on each symptom, including those reported once for several resources. */
  readonly bearings = new Map<Symptom, { severity: Severity | null; confirmed: boolean; rules: Set<string> }>();
  readonly held = new DeferredFindings();
  readonly hidden = new Map<string, Set<string>>();
  /** Ids of the rules whose findings on a resource block its facts, by the findings there. */
  readonly blocking = new WeakMap<Found, Set<string>>();
  /** Values taken from documents: one that has a field "missing" is not a missing fact. */
  readonly values = new WeakSet<object>();
  readonly pending = new Map<DocumentFacts, Pending[]>();
  /** What was reused from earlier runs: only the views, or everything. */
  readonly earlier = new Map<string, { role: ResourceKind; views: boolean; count: number; first: string }>();
  /** The documents that were copies from before the last hourly check, and the age of the oldest in seconds. */
  readonly oldCopies = new Map<ResourceKind, { count: number; age: number }>();
  /** The counts recorded while watching; null once anything else was noted, or when not watching. */
  counted: Map<{ count: number }, number> | null = null;
  versions = 0;
  artifacts = 0;
  bytes = 0;
  crashed = false;
  /** The verdicts about apps that the manifest does not list. */
  missingApps = 0;

  constructor(overrides: Readonly<Record<string, Severity | 'off'>>, { annotate, onFinding }: FindingHooks = {}) {
    this.overrides = overrides;
    this.annotate = annotate ?? null;
    this.onFinding = onFinding ?? null;
  }

  /** The names of missing facts; null if all are present, as for most subjects. */
  missingIn(facts: Readonly<Record<string, unknown>>): Map<string, Missing> | null {
    let absent: Map<string, Missing> | null = null;
    for (const name in facts) {
      const fact = facts[name];
      if (isMissing(fact) && !this.values.has(fact)) (absent ??= new Map()).set(name, fact);
    }
    return absent;
  }

  /**
   * Runs one rule on one subject if its facts are present. A rule that throws is not judged, and the run is incomplete.
   * @param absent the missing facts among these, looked up once for all rules
   */
  apply(
    rule: AnyRule,
    facts: Record<string, unknown>,
    place: SubjectLocation,
    absent: Map<string, Missing> | null,
  ): void {
    if (absent !== null)
      for (const need of rule.needs) {
        const why = absent.get(need);
        if (why) return this.addNotJudged(rule, place, why);
      }
    let result: Problem | readonly Problem[] | null | undefined;
    try {
      result = rule.check(facts);
    } catch (error) {
      if (this.isOff(rule)) return;
      this.crashed = true;
      return this.addNotJudged(rule, place, { missing: { code: 'rule-crashed', error: shorten(String(error)) } });
    }
    const superseder = supersederIn(place.found, rule.supersededBy);
    if (!result && superseder === null) return;
    if (this.isOff(rule)) return this.noteSilenced(rule, problemsIn(result), place, superseder);
    this.addAll(rule, problemsIn(result), place, superseder);
  }

  /** Adds the problems that no finding supersedes; if none is left, the rule is not judged because of that finding. */
  addAll(rule: AnyRule, problems: readonly Problem[], place: SubjectLocation, superseder: Superseder | null): void {
    const left = problems.filter((problem) => !isSuperseded(superseder, this.severityOf(rule, problem)));
    for (const problem of left) this.add(rule, problem, place);
    if (superseder === null || left.length > 0) return;
    if (problems.length === 0 && !isSuperseded(superseder, this.severityOf(rule))) return;
    // The other finding's symptom is known; not judging this rule makes nothing unknown.
    this.addNotJudged(rule, place, { ...blockedBy(superseder.rule), intentional: true });
  }

  /** True for a rule that the settings turn off. */
  isOff(rule: AnyRule): boolean {
    return this.overrides[rule.id] === 'off';
  }

  /**
   * Records what a disabled rule would report as an error: the app stays hidden, and the symptom is not clear. Nothing
   * else depends on it.
   */
  noteSilenced(
    rule: AnyRule,
    problems: readonly Problem[],
    place: SubjectLocation,
    superseder: Superseder | null,
  ): void {
    for (const problem of problems) {
      const severity = problem.severity ?? rule.severity;
      if (severity !== 'error' || isSuperseded(superseder, severity)) continue;
      if (isSuperseded(supersederIn(place.found, problem.supersededBy), severity)) continue;
      this.counted = null;
      this.hideAndBlock(rule, problem, place);
      const symptom = symptomFor(rule, problem, place);
      if (symptom === null) continue;
      this.unjudgedSymptoms.add(symptom);
      const { resource } = place;
      if (this.wasNoted(`${rule.id} ${resource} turned off`)) continue;
      this.notJudged.push(notJudgedEntry(rule.id, { resource }, { code: 'turned-off' }));
    }
  }

  /** The reported severity: the one configured for the rule, the problem's, or the rule's. */
  severityOf(rule: AnyRule, problem?: Problem): Severity {
    const override = this.overrides[rule.id];
    return override && override !== 'off' ? override : (problem?.severity ?? rule.severity);
  }

  add(rule: AnyRule, problem: Problem, place: SubjectLocation): void {
    const severity = this.severityOf(rule, problem);
    if (isSuperseded(supersederIn(place.found, problem.supersededBy), severity)) return;
    this.counted = null;
    const { unlessLimited } = problem;
    if (unlessLimited === undefined) noteFound(place.found, rule.id, problem.cause, severity);
    if (problem.version !== undefined) noteVersion(place, problem.version, rule.id, severity);
    const app = this.hideAndBlock(rule, problem, place);
    const symptom = symptomFor(rule, problem, place);
    if (symptom !== null) {
      const weight = { symptom, rule, severity: weightOf(rule, problem, severity) };
      if (unlessLimited === undefined) this.addWeight(weight);
      else this.held.weigh(unlessLimited, weight);
    }
    const one = problem.dedupeKey ?? shared(rule, problem, place);
    const about = one === null ? null : `${rule.id} ${severity} ${one}`;
    const told = about === null ? undefined : this.reported.get(about);
    if (told) return holdsAlso(told, app);
    const pointer = place.document === null ? null : place.pointer + (problem.at ?? '');
    const finding: Finding = {
      rule: rule.id,
      severity,
      symptom,
      spec: rule.spec,
      message: shorten(redact(problem.message), 1000),
      advice: shorten(redact(withApp(problem.advice, app)), 1000),
      cause: problem.cause ?? null,
      app,
      version: problem.version ?? place.version,
      resource: place.resource,
      url: place.url === null ? null : redact(place.url),
      file: problem.file ?? place.file,
      pointer,
      line: null,
      column: null,
      evidence: clean(problem.evidence ?? {}),
    };
    const web = isMissing(place.web) ? null : place.web;
    if (severity !== 'note') finding.advice = shorten(withSteps(finding, web), 1200);
    if (this.annotate) {
      const more = this.annotate(finding, web);
      finding.evidence = { ...finding.evidence, ...clean(more) };
    }
    this.onFinding?.(finding);
    if (unlessLimited === undefined) this.findings.push(finding);
    else this.held.hold(unlessLimited, finding);
    if (rule.on === 'host' && place.url !== null) this.held.limit(place.url, severity);
    if (about !== null) this.reported.set(about, finding);
    this.keepPlace(finding, problem, place);
  }

  /**
   * Hides the app if the problem keeps subscribers from seeing it, and records what blocks the facts about a resource.
   * Settings do not change what a subscriber sees, so the rule's own severity counts here.
   * @returns the app that the problem is about
   */
  hideAndBlock(rule: AnyRule, problem: Problem, place: SubjectLocation): string | null {
    const app = problem.app ?? place.app ?? appOf(place.resource, place.pointer + (problem.at ?? ''));
    const weighs = problem.hidesApp ?? (problem.severity ?? rule.severity) === 'error';
    if (!rule.hidesApp || !weighs) return app;
    const blocking = this.blocking.get(place.found) ?? new Set<string>();
    this.blocking.set(place.found, blocking.add(rule.id));
    const hits = place.resource === 'metadata' || place.resource === 'manifest';
    if (hits && app !== null) this.hide(app, rule.id);
    return app;
  }

  /** Queues a finding for looking up its position in the document. */
  keepPlace(finding: Finding, problem: Problem, { document }: SubjectLocation): void {
    if (document === null) return;
    const list = this.pending.get(document);
    const item = { finding, offset: problem.offset ?? null, onName: problem.onName === true };
    if (list) list.push(item);
    else this.pending.set(document, [item]);
  }

  /** Records that a finding bears on a symptom. */
  addWeight({ symptom, rule, severity }: SymptomWeight): void {
    const bearing = this.bearings.get(symptom) ?? { severity: null, confirmed: false, rules: new Set<string>() };
    bearing.severity = highest(bearing.severity, severity);
    if (rule.confirms && severity === 'error') bearing.confirmed = true;
    if (severity !== 'note') bearing.rules.add(rule.id);
    this.bearings.set(symptom, bearing);
  }

  hide(app: string, rule: string): void {
    const rules = this.hidden.get(app);
    if (rules) rules.add(rule);
    else this.hidden.set(app, new Set([rule]));
  }

  /** Keeps a document's value from being taken for a missing fact. */
  noteValue(value: unknown): void {
    if (isMissing(value)) this.values.add(value);
  }

  /** Ids of the rules that hide an app. */
  hiding(app: string): Set<string> {
    return new Set(this.hidden.get(app));
  }

  addNotJudged(
    rule: AnyRule,
    place: SubjectLocation,
    why: Omit<Missing, 'missing'> & { missing: NotJudgedReason },
  ): void {
    if (this.isOff(rule)) return;
    if (why.runWide && this.everywhere.get(why)?.has(rule)) return;
    if (!why.intentional) {
      const symptom = symptomOf(rule, place);
      // A rule about URLs with a symptom of its own also receives other resources, on which it finds nothing.
      const isAbout = (rule.on !== 'resource' && rule.on !== 'url') || symptom === SYMPTOM_OF_KIND[place.resource];
      // Notes do not make a symptom suspected.
      if (symptom && isAbout && this.severityOf(rule) !== 'note') this.unjudgedSymptoms.add(symptom);
    }
    if (why.runWide) {
      // A rule with symptom 'by-resource' may bear on a different symptom for each resource.
      if (rule.symptom !== 'by-resource') {
        const rules = this.everywhere.get(why);
        if (rules) rules.add(rule);
        else this.everywhere.set(why, new Set([rule]));
      }
      if (this.wasNoted(`${rule.id} ${reasonText(why.missing)}`)) return;
      this.counted = null;
      this.notJudged.push(notJudgedEntry(rule.id, {}, why.missing));
      return;
    }
    const count = (this.perRule.get(rule.id) ?? 0) + 1;
    this.perRule.set(rule.id, count);
    const rest = this.unlisted.get(rule.id);
    if (rest) return this.countFurther(rest, 1);
    this.counted = null;
    const blocker = why.missing.code === 'blocked-by' ? undefined : this.blockers(place, rule.id)[0];
    const entry = notJudgedEntry(rule.id, place, blocker === undefined ? why.missing : blockedBy(blocker).missing);
    if (count <= LISTED) this.notJudged.push(entry);
    else this.unlisted.set(rule.id, { entry, count: 1 });
  }

  /** True once the limit of listed entries is reached for these rules, so that further subjects are only counted. */
  onlyCounts(rules: readonly AnyRule[]): boolean {
    return rules.every((rule) => this.isOff(rule) || this.unlisted.has(rule.id));
  }

  /** Counts further subjects of these rules as not judged; requires `onlyCounts`. */
  skipFurther(rules: readonly AnyRule[], count: number): void {
    for (const { id } of rules) {
      const entry = this.unlisted.get(id);
      if (entry !== undefined) this.countFurther(entry, count);
    }
  }

  countFurther(entry: { count: number }, count: number): void {
    entry.count += count;
    this.counted?.set(entry, (this.counted.get(entry) ?? 0) + count);
  }

  /** Starts recording what is counted. */
  watch(): void {
    this.counted = new Map();
  }

  /** What was counted since `watch`; null if anything else was noted too. */
  watched(): Counted | null {
    const { counted } = this;
    this.counted = null;
    return counted;
  }

  countAgain(counted: Counted): void {
    for (const [entry, count] of counted) entry.count += count;
  }

  /** Findings at a location that block others: a malformed URL, an unreachable host. */
  blockers(place: SubjectLocation, except = ''): string[] {
    return [...(this.blocking.get(place.found) ?? [])].filter((id) => id !== except).sort();
  }

  /** True if this was noted before; for messages reported once per run. */
  wasNoted(what: string): boolean {
    if (this.noted.has(what)) return true;
    this.noted.add(what);
    return false;
  }

  countVersions(count: number): void {
    this.versions += count;
  }

  countArtifact(bytes: number): void {
    this.artifacts++;
    this.bytes += bytes;
  }

  countBytes(bytes: number): void {
    this.bytes += bytes;
  }

  /** Records a resource kind that was intentionally not observed: it is reported, and casts no doubt on any symptom. */
  noteSkipped(resource: ResourceKind, reason: NotJudgedReason): void {
    this.notJudged.push(notJudgedEntry('*', { resource }, reason));
  }

  /** Records a document that was a cached copy of that age, in seconds: later publications are missing from it. */
  noteStaleCopy(role: ResourceKind, age: number): void {
    const known = this.oldCopies.get(role) ?? { count: 0, age: 0 };
    this.oldCopies.set(role, { count: known.count + 1, age: Math.max(known.age, age) });
    this.unjudgedSymptoms.add('app-does-not-appear').add('checksum-mismatch');
    if (role === 'manifest') this.unjudgedSymptoms.add('icon-does-not-display');
  }

  /** Records facts reused from an earlier run (`since`, or only the views). */
  noteReused(
    role: ResourceKind,
    { reusedFrom: since, viewsReusedFrom: viewsSince }: Pick<Resource, 'reusedFrom' | 'viewsReusedFrom'>,
  ): void {
    const moment = since ?? viewsSince;
    if (moment === undefined) return;
    const what = `${role} ${since === undefined ? 'views' : 'whole'}`;
    const known = this.earlier.get(what) ?? { role, views: since === undefined, count: 0, first: moment };
    known.count++;
    if (moment < known.first) known.first = moment;
    this.earlier.set(what, known);
  }

  /** Records that HEAD and preflights were sent for only some resources of a kind. */
  askedOfSome(role: ResourceKind, head: Probe | Missing): void {
    if (!isMissing(head) || head.missing.code !== 'sampled' || this.wasNoted(`${role} sampled`)) return;
    this.noteSkipped(role, head.missing);
  }

  verdict(app: AppVerdict): void {
    this.apps.push(app);
  }

  /** Adds the verdict about a requested app that the manifest does not list, as far as the manifest can be read. */
  addMissingApp(app: AppVerdict): void {
    this.missingApps++;
    this.verdict(app);
  }

  /** Resolves the positions of the findings in a document, all in one pass, and releases the document. */
  resolvePositions(document: DocumentFacts | null): void {
    const list = document && this.pending.get(document);
    if (!list || !document) return;
    this.pending.delete(document);
    placeAll(list, document);
  }

  /** Adds the findings that no host limit explains; call it after all facts about hosts were judged. */
  releaseHeld(): void {
    const { findings, weights } = this.held.release();
    this.findings.push(...findings);
    for (const weight of weights) this.addWeight(weight);
  }

  report(run: { command: CheckCommand; target: string; seconds: number; incomplete: string | null }): Report {
    this.releaseHeld();
    for (const { entry, count } of this.unlisted.values()) {
      const reason = `${count} more: ${entry.reason}`;
      this.notJudged.push({ ...entry, app: null, version: null, reason, count });
    }
    // Sorted, since the order in which they were found depends on the network.
    const earlier = [...this.earlier].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [, { role, views, count, first }] of earlier) {
      this.noteSkipped(role, { code: 'reused', count, since: first, views });
    }
    for (const [role, { count, age }] of this.oldCopies) this.noteSkipped(role, { code: 'stale-copy', count, age });
    if (run.incomplete !== null) {
      this.notJudged.push(notJudgedEntry('*', {}, { code: 'incomplete', why: run.incomplete }));
      // A symptom that was not examined is not clear.
      for (const symptom of SYMPTOMS) this.unjudgedSymptoms.add(symptom);
    }
    this.findings.sort(inReportOrder);
    const summary: Summary = {
      errors: 0,
      warnings: 0,
      notes: 0,
      notJudged: this.notJudged.length,
      apps: this.apps.length - this.missingApps,
      versions: this.versions,
      artifacts: this.artifacts,
      bytes: this.bytes,
      seconds: run.seconds,
    };
    for (const { severity } of this.findings) summary[`${severity}s`]++;
    return {
      schema: 1,
      tool: { name: 'appreg', version: VERSION },
      command: run.command,
      target: redact(run.target),
      outcome: this.crashed || run.incomplete !== null ? 'incomplete' : this.findings.length > 0 ? 'findings' : 'clean',
      summary,
      symptoms: SYMPTOMS.map((id) => this.symptom(id)),
      apps: this.apps.sort((a, b) => compareText(a.key, b.key)),
      findings: this.findings,
      notJudged: this.notJudged,
    };
  }

  symptom(id: Symptom): Report['symptoms'][number] {
    const { severity = null, confirmed = false, rules = [] } = this.bearings.get(id) ?? {};
    const hiding = id === 'app-does-not-appear' ? this.apps.flatMap((a) => (a.visible === false ? a.because : [])) : [];
    const bearing: Bearing = {
      severity,
      confirmed,
      hidden: hiding.length > 0,
      unknown: this.unjudgedSymptoms.has(id),
    };
    return { id, status: statusOf(id, bearing), rules: [...new Set([...rules, ...hiding])].sort() };
  }
}

/** The result of a rule's check as a list. */
function problemsIn(result: Problem | readonly Problem[] | null | undefined): readonly Problem[] {
  if (!result) return [];
  return Array.isArray(result) ? (result as readonly Problem[]) : [result as Problem];
}

/** Fills the app's key into the commands in an advice, if the finding has an app. */
function withApp(advice: string, app: string | null): string {
  return app !== null && isSafeKey(app) ? advice.replaceAll('<app>', app) : advice;
}

function noteVersion(place: SubjectLocation, version: string, rule: string, severity: Severity): void {
  place.byVersion ??= new Map();
  const found: Found = place.byVersion.get(version) ?? new Map();
  noteFound(found, rule, undefined, severity);
  place.byVersion.set(version, found);
}

function symptomOf(rule: AnyRule, place: SubjectLocation): Symptom | null {
  return rule.symptom === 'by-resource' ? SYMPTOM_OF_KIND[place.resource] : rule.symptom;
}

/** The symptom that a problem bears on. */
function symptomFor(rule: AnyRule, problem: Problem, place: SubjectLocation): Symptom | null {
  return problem.symptom === undefined ? symptomOf(rule, place) : problem.symptom;
}

/** The weight of a finding for its symptom: an error by default is suspected even if it is reported as a note. */
function weightOf(rule: AnyRule, problem: Problem, reported: Severity): Severity {
  const isError = (problem.severity ?? rule.severity) === 'error';
  return isError && reported === 'note' ? 'warning' : reported;
}

/** The app that a location in the manifest belongs to. */
function appOf(resource: ResourceKind, pointer: string | null): string | null {
  if (resource !== 'manifest' || pointer === null) return null;
  const key = /^\/apps\/([^/]*)/.exec(pointer)?.[1];
  return key === undefined ? null : key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A URL shared by several apps or versions is observed once, and its faults are reported once. */
function shared({ on }: AnyRule, { cause, message }: Problem, { resource, url }: SubjectLocation): string | null {
  return url !== null && (on === 'resource' || on === 'icon')
    ? `${resource} ${sameAddress(url)} ${cause} ${message}`
    : null;
}

/** Adds a further affected resource to a finding, and names the app. */
function holdsAlso(finding: Finding, app: string | null): void {
  const { alsoHit = 0, alsoApps = [] } = finding.evidence;
  finding.evidence['alsoHit'] = Number(alsoHit) + 1;
  const apps = alsoApps as readonly string[];
  if (app === null || app === finding.app || apps.at(-1) === app || apps.length >= NAMED) return;
  finding.evidence['alsoApps'] = [...apps, shorten(redact(app), 500)];
}

function clean(evidence: Evidence): Evidence {
  const cleaned: Record<string, Evidence[string]> = {};
  for (const [name, value] of Object.entries(evidence)) {
    cleaned[name] =
      typeof value === 'string'
        ? shorten(redact(value), 500)
        : Array.isArray(value)
          ? value.map((v: string) => shorten(redact(v), 500))
          : value;
  }
  return cleaned;
}
