import { comparableUrl } from '../url/url.ts';
import { type Hop, type HttpViews, isMissing } from '../facts/facts.ts';
import type { ClockDoubt } from '../http/clock.ts';
import { lastHop } from '../http/probe.ts';
import { serverEvidence } from '../http/server-identity.ts';
import { causeOfFinding, ownerOf, ruleById } from '../rules/lookup.ts';
import { isCachedCopy, isIssuedByInterceptor } from '../rules/owners.ts';
import { message, safe, type SafeText } from '../text/message.ts';
import { isSafeKey } from '../registry/app-key.ts';
import { causeInfo } from '../rules/cause.ts';
import type { AnyRule, Problem } from '../rules/rule.ts';
import { redact, shorten } from '../text/text.ts';
import type { SubjectLocation } from './location.ts';
import type { Finding, Symptom } from '../findings/report.ts';
import type { Evidence } from '../values/evidence.ts';
import type { Severity } from '../values/severity.ts';

/** Findings of a report, from the problems of rules. */

/** The number of other affected apps that a finding names. */
export const NAMED = 20;

/** Additions of the engine to a problem. */
export interface FindingContext {
  severity: Severity;
  symptom: Symptom | null;
  /** The app that it is about. */
  app: string | null;
  /** True if its evidence names the party that has to act, and the responding server. */
  explains: boolean;
}

/**
 * The finding about a problem, with its place, the metadata of the rule and the steps to take; secrets are hidden, long
 * texts shortened.
 */
export function toFinding(rule: AnyRule, problem: Problem, place: SubjectLocation, how: FindingContext): Finding {
  const finding = plainFinding(rule, problem, place, how);
  const web = isMissing(place.web) ? null : place.web;
  if (finding.severity !== 'note') finding.advice = shorten(withSteps(finding, web), 1200);
  if (how.explains) Object.assign(finding.evidence, redactedEvidence(explanation(finding, web)));
  return finding;
}

/** The responding server, and the party that has to act. */
function explanation(finding: Readonly<Finding>, web: HttpViews | null): Evidence {
  const server = web === null ? {} : serverEvidence(answerFor(finding.rule, web));
  return { ...server, actor: ownerOf({ ...finding, evidence: { ...finding.evidence, ...server } }) };
}

function plainFinding(
  rule: AnyRule,
  problem: Problem,
  place: SubjectLocation,
  { severity, symptom, app }: Omit<FindingContext, 'explains'>,
): Finding {
  return {
    rule: rule.id,
    severity,
    symptom,
    spec: rule.spec,
    message: messageOf(problem),
    advice: shorten(redact(withApp(adviceFor(rule, problem, place), app)), 1000),
    cause: problem.cause ?? null,
    app,
    version: problem.version ?? place.version,
    resource: place.resource,
    url: place.url === null ? null : redact(place.url),
    file: problem.file ?? place.file,
    pointer: place.document === null ? null : place.pointer + (problem.at ?? ''),
    line: null,
    column: null,
    evidence: redactedEvidence(problem.evidence ?? {}),
    excepted: null,
    baseline: false,
    unfixable: isUnfixable(rule, problem, place),
    // Set at the end of the run.
    registry: '',
    fingerprint: '',
  };
}

/** True if a version that was published before would have to change: only a new one corrects it. */
export function isUnfixable(rule: AnyRule, problem: Problem, place: SubjectLocation): boolean {
  const version = problem.version ?? place.version;
  return rule.needsNewVersion === true && version !== null && place.published?.has(version) === true;
}

/** A file of the workspace is edited; what a host serves is fixed there. */
function adviceFor(rule: AnyRule, { cause, advice }: Problem, place: SubjectLocation): string {
  if (cause === undefined || !isLocal(place)) return advice;
  return causeInfo(rule.causes, cause)?.local ?? advice;
}

/** True if the resource was read from a file, and not requested. */
function isLocal({ file, web }: SubjectLocation): boolean {
  return file !== null && isMissing(web);
}

/** The same problem, beginning with a doubt about the clock of this machine if it depends on that. */
export function withClockDoubt(rule: AnyRule, problem: Problem, doubt: ClockDoubt | null): Problem {
  const { byClock = [] } = rule;
  if (doubt === null || (byClock !== 'all' && !byClock.includes(problem.cause ?? ''))) return problem;
  const { now, host, date } = doubt;
  return {
    ...problem,
    message: message`The clock of this machine is probably wrong: it shows ${now}, and ${host} sent the date ${date}. By that clock: ${safe(problem.message)}`,
    advice: message`Correct the clock of this machine, and check again. If it is right: ${safe(problem.advice)}`,
    evidence: { ...problem.evidence, clock: now, hostDate: date },
  };
}

/** The message of a problem; secrets are hidden, a long text is shortened. */
export function messageOf({ message }: Problem): string {
  return shorten(redact(message), 1000);
}

/** Fills the app's key into the commands in an advice, if the finding has an app. */
function withApp(advice: string, app: string | null): string {
  return app !== null && isSafeKey(app) ? advice.replaceAll('<app>', app) : advice;
}

/** The evidence with secrets hidden and long texts shortened. */
function redactedEvidence(evidence: Evidence): Evidence {
  return Object.fromEntries(Object.entries(evidence).map(([name, value]) => [name, redactedValue(value)]));
}

function redactedValue(value: Evidence[string]): Evidence[string] {
  if (typeof value === 'string') return shorten(redact(value), 500);
  return isList(value) ? value.map((text) => shorten(redact(text), 500)) : value;
}

function isList(value: Evidence[string] | undefined): value is readonly string[] {
  return Array.isArray(value);
}

/** The app that a problem is about: its own, that of its place, or the one whose entry in the manifest it is in. */
export function appOf(problem: Problem, place: SubjectLocation): string | null {
  return problem.app ?? place.app ?? appOfEntry(place, problem.at ?? '');
}

function appOfEntry({ resource, pointer }: SubjectLocation, at: string): string | null {
  if (resource !== 'manifest') return null;
  const key = /^\/apps\/([^/]*)/.exec(pointer + at)?.[1];
  return key === undefined ? null : key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/**
 * The key of problems that are one finding; null for a problem that is reported wherever it is found. A URL shared by
 * several apps or versions is observed once, and its faults are reported once.
 */
export function dedupeKeyOf(rule: AnyRule, problem: Problem, { resource, url }: SubjectLocation): string | null {
  if (problem.dedupeKey !== undefined) return problem.dedupeKey;
  return url !== null && (rule.on === 'resource' || rule.on === 'icon')
    ? `${resource} ${comparableUrl(url)} ${problem.cause} ${problem.message}`
    : null;
}

/** Adds a further affected resource to a finding, and names its app. */
export function addAffected(finding: Finding, app: string | null): void {
  const { alsoHit = 0, alsoApps } = finding.evidence;
  finding.evidence['alsoHit'] = Number(alsoHit) + 1;
  const apps = isList(alsoApps) ? alsoApps : [];
  if (app === null || app === finding.app || apps.at(-1) === app || apps.length >= NAMED) return;
  finding.evidence['alsoApps'] = [...apps, shorten(redact(app), 500)];
}

const INTERCEPTED =
  'A device on this network intercepts TLS connections and responds instead of the host: check from another network, or ask its operator to exempt this host. Otherwise:';
const PURGE_FIRST = 'This is a cached copy: purge the cache, and check again. If that does not help:';
const PURGE_LAST = 'Then purge the caches, and check again.';

/**
 * The finding's advice, with the steps to take before or after it depending on the party that has to act.
 * @param web the responses of its resource's URL, or null
 */
export function withSteps(
  finding: Pick<Finding, 'rule' | 'cause' | 'evidence' | 'advice'>,
  web: HttpViews | null,
): SafeText {
  const { rule, advice } = finding;
  const evidence = web === null ? finding.evidence : { ...serverEvidence(answerFor(rule, web)), ...finding.evidence };
  const whole = { ...finding, evidence };
  const owner = ownerOf(whole);
  // If a proxy was used, the rule's own advice begins with it.
  const hasProxy = evidence['proxy'] !== undefined;
  if (owner === 'network' && !hasProxy && isIssuedByInterceptor(whole)) return message`${INTERCEPTED} ${advice}`;
  const purge = causeOfFinding(finding)?.purge ?? ruleById(rule)?.purge;
  if (owner !== 'cache' || !isCachedCopy(whole) || purge === 'in-advice') return message`${advice}`;
  return purge === 'last' ? message`${sentence(advice)} ${PURGE_LAST}` : message`${PURGE_FIRST} ${advice}`;
}

function sentence(text: string): string {
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}

/** A browser may get another copy than the service, so findings about the browser's response use that response. */
function answerFor(rule: string, web: HttpViews): Hop | null {
  const asBrowser = ruleById(rule)?.view === 'browser' ? web.browser[0] : undefined;
  return lastHop(asBrowser ?? web.server);
}
