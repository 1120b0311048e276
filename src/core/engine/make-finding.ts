import { comparableUrl } from '../url/url.ts';
import { isMissing } from '../facts/facts.ts';
import { isSafeKey } from '../registry/app-key.ts';
import { causeInfo } from '../rules/cause.ts';
import type { AnyRule, Problem } from '../rules/rule.ts';
import { redact, shorten } from '../text/text.ts';
import type { SubjectLocation } from './location.ts';
import type { Finding, Symptom } from '../findings/report.ts';
import type { Evidence } from '../values/evidence.ts';
import type { Severity } from '../values/severity.ts';

/** Makes findings from the problems of rules. */

/** The number of other affected apps that a finding names. */
export const NAMED = 20;

/** What the engine adds to a problem. */
export interface FindingContext {
  severity: Severity;
  symptom: Symptom | null;
  /** The app that it is about. */
  app: string | null;
}

/** The finding about a problem, with its place and the metadata of the rule; secrets are hidden, long texts shortened. */
export function makeFinding(
  rule: AnyRule,
  problem: Problem,
  place: SubjectLocation,
  { severity, symptom, app }: FindingContext,
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
  };
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

/** The message of a problem; secrets are hidden, a long text is shortened. */
export function messageOf({ message }: Problem): string {
  return shorten(redact(message), 1000);
}

/** Fills the app's key into the commands in an advice, if the finding has an app. */
function withApp(advice: string, app: string | null): string {
  return app !== null && isSafeKey(app) ? advice.replaceAll('<app>', app) : advice;
}

/** The evidence with secrets hidden and long texts shortened. */
export function redactedEvidence(evidence: Evidence): Evidence {
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
