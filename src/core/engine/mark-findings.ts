import { parseUrl } from '../url/url.ts';
import { matchesGlob } from '../text/glob.ts';
import { ruleById } from '../rules/lookup.ts';
import { secretsNamed } from '../rules/artifacts/artifact-secret.ts';
import type { VersionRange } from '../registry/version-range.ts';
import type { Excepted, Exception, Finding, KnownFinding, NotJudged } from '../findings/report.ts';
import { isOver } from '../findings/exception-end.ts';
import { NAMED } from './finding.ts';

/**
 * Findings that do not count: those that an exception of the configuration covers, and those of a baseline report. They
 * stay in the report, and count for visibility and symptoms.
 */

/** Reasons why findings do not count. */
export interface Marking {
  exceptions: readonly Exception[];
  /** The findings of the baseline report. */
  known: readonly KnownFinding[];
  /** ISO 8601. */
  now: string;
}

/** The findings, with those marked that do not count. */
export function markFindings(findings: readonly Finding[], { exceptions, known, now }: Marking): Finding[] {
  const current = exceptions.filter((exception) => !isOver(exception, now));
  const fingerprints = new Set(known.map(({ fingerprint }) => fingerprint));
  return findings.map((finding) => {
    const excepted = exceptedBy(current, finding);
    const baseline = fingerprints.has(finding.fingerprint);
    const unfixable = finding.unfixable || (baseline && needsNewVersion(finding));
    if (excepted === null && !baseline && !unfixable) return finding;
    const advice = unfixable ? `${ONLY_NEW} ${finding.advice}` : finding.advice;
    return { ...finding, advice, excepted, baseline, unfixable };
  });
}

const ONLY_NEW = 'Only a new version changes this: a published one stays as it is.';

function needsNewVersion({ rule, version }: Finding): boolean {
  return version !== null && ruleById(rule)?.needsNewVersion === true;
}

/** The first exception that covers the finding, or those that cover its secrets together, as its mark. */
function exceptedBy(exceptions: readonly Exception[], finding: Finding): Excepted | null {
  const covering = exceptions.filter((exception) => covers(exception, finding));
  const found = covering.find(({ secret }) => secret === null);
  if (found !== undefined) return { reason: found.reason, until: found.until, issue: found.issue };
  const secrets = secretsNamed(finding.evidence) ?? [];
  const each = secrets.flatMap((secret) => covering.find((exception) => exception.secret === secret) ?? []);
  if (each.length === 0 || each.length < secrets.length) return null;
  return {
    reason: [...new Set(each.map(({ reason }) => reason))].join('; '),
    until: each.flatMap(({ until }) => until ?? []).toSorted()[0] ?? null,
    issue: each.find(({ issue }) => issue !== null)?.issue ?? null,
  };
}

/** True if the exception covers all that the finding is about, or one of its secrets. */
export function covers(exception: Exception, finding: Finding): boolean {
  if (!isAbout(exception, finding)) return false;
  const { app, version } = exception;
  // The finding does not say which other versions it is about.
  if (version !== null && Number(finding.evidence['alsoHit'] ?? 0) > 0) return false;
  if (app === null) return true;
  const others = otherApps(finding);
  // Further apps are not named.
  return others.length < NAMED && others.every((key) => matchesGlob(app, key)) && matchesApp(app, finding.app);
}

/** True if the exception covers a part of what the finding is about, at least. */
export function isAbout({ rule, app, version, url, secret }: Exception, finding: Finding): boolean {
  return (
    finding.rule === rule &&
    (secret === null || secretsNamed(finding.evidence)?.includes(secret) === true) &&
    (app === null || [finding.app, ...otherApps(finding)].some((key) => matchesApp(app, key))) &&
    (version === null || (finding.version !== null && inRange(version, finding.version))) &&
    (url === null || (finding.url !== null && matchesUrl(url, finding.url)))
  );
}

/** True if the exception is about the place of a rule that was not judged, or about a part of it. */
export function overlaps(
  { rule, app, version }: Pick<Exception, 'rule' | 'app' | 'version'>,
  entry: NotJudged,
): boolean {
  return (
    entry.rule === rule &&
    (app === null || entry.app === null || matchesGlob(app, entry.app)) &&
    (version === null || entry.version === null || inRange(version, entry.version))
  );
}

function otherApps({ evidence }: Finding): string[] {
  const { alsoApps } = evidence;
  return Array.isArray(alsoApps) ? alsoApps.filter((key): key is string => typeof key === 'string') : [];
}

function matchesApp(glob: string, key: string | null): boolean {
  return key !== null && matchesGlob(glob, key);
}

/** An invalid version is in a range that is written exactly like it. */
function inRange({ text, includes }: VersionRange, version: string): boolean {
  return text === version || includes(version);
}

/** A query may contain slashes, so the URL is also compared without it. */
function matchesUrl(glob: string, url: string): boolean {
  const parsed = parseUrl(url);
  return [url, url.replace(/[?#].*$/s, ''), ...(parsed === null ? [] : [parsed.href])].some((text) =>
    matchesGlob(glob, text),
  );
}
