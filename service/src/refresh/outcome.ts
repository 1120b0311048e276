import { notJudgedEntry, type Report, SEVERITIES } from 'appreg';
import { keptDocument } from 'appreg/node';
import { type CheckOutcome, type EventData, type NewEvent, registryEvent } from '../domain/events.ts';
import { type Observation, countEvents } from './observation.ts';
import { type Limits } from '../config/settings.ts';
import { FINDINGS_LIMIT, type RefreshState } from './plan.ts';
import { type RegistryRecord, type Confirmation, type RefreshResult, type NextCheck } from '../db/refreshes.ts';
import { nextCheckTime } from '../domain/schedule.ts';

/** The end of a refresh: what is written, logged and counted. Pure. */

/** Milliseconds; a registry that takes longer is refreshed in the slow queue from then on, one that fails sooner. */
const SLOW = { usable: 20_000, failing: 5000 };

/** Figures for the log and the metrics. */
export interface RefreshFigures {
  outcome: CheckOutcome;
  /** Milliseconds. */
  duration: number;
  apps: number;
  /** True if nothing had to be judged. */
  unchanged: boolean;
  artifacts: number;
  bytes: number;
  errors: number;
  warnings: number;
  nextCheckAt: Date;
}

/** When and how a refresh ended. */
interface RefreshEnd {
  at: Date;
  /** Milliseconds. */
  duration: number;
  /** Milliseconds between two refreshes. */
  interval: number;
  /** Random number from 0 to 1. */
  random: number;
}

/** The reason why the observation is incomplete, worded for the report, or null. @param findings their number */
export function incompleteness(
  { interrupted, apps, done, versionsBeyond }: Observation,
  findings: number,
  limits: Limits,
): string | null {
  const listed = apps === null ? 0 : Object.keys(apps).length;
  const reasons: string[] = [];
  if (interrupted && findings > FINDINGS_LIMIT) reasons.push(`there are more than ${FINDINGS_LIMIT} findings`);
  else if (interrupted)
    reasons.push(
      `a check is limited to ${limits.refresh / 1000} s and ${Math.round(limits.artifactBytes / 2 ** 20)} MiB per registry, which was enough for ${done} of ${listed} apps; the others will be checked soon`,
    );
  if (listed > limits.apps) reasons.push(`${listed} apps are listed, but only the first ${limits.apps} are checked`);
  if (versionsBeyond > 0)
    reasons.push(`at most ${limits.versionsPerApp} versions are stored per app, so ${versionsBeyond} were left out`);
  return reasons.length === 0 ? null : reasons.join('; ');
}

/** Nothing changed, so the last outcome stays valid: only the time of the check is written. */
export function unchangedOutcome(
  registry: RegistryRecord,
  { apps, unfinished, ...end }: RefreshEnd & { apps: number; unfinished: boolean },
): { confirmation: Confirmation; figures: RefreshFigures } {
  const { at, duration } = end;
  const { id, refreshNumber, requests, errors, warnings } = registry;
  const next = nextAfter(end, 0, unfinished);
  const outcome = checkOutcome(true, false, errors);
  const check = { outcome, seconds: secondsOf(duration), errors, warnings, apps, changes: {} };
  const events = checkedEvent(registry, at, check);
  const { nextCheckAt } = next;
  return {
    confirmation: { id, refreshNumber, requests, at, ...next, slow: duration > SLOW.usable, events },
    figures: { outcome, duration, apps, unchanged: true, artifacts: 0, bytes: 0, errors, warnings, nextCheckAt },
  };
}

interface Ended {
  report: Report;
  unchangedToken: string | null;
  end: RefreshEnd;
}

/** Changes of the registry by a refresh that observed and judged; its apps are written already. */
export function refreshOutcome(
  { registry, storedManifest, artifactCheck, now }: RefreshState,
  { interrupted, apps, done, order, manifest, changes, certificates, unauthorized, ...spent }: Observation,
  { report, unchangedToken, end }: Ended,
): { result: RefreshResult; figures: RefreshFigures } {
  const { at, duration } = end;
  const { artifacts, bytes, hasDeferred } = spent;
  const isUsable = apps !== null;
  const unfinished = interrupted || hasDeferred || artifactCheck.unfinished;
  const failures = isUsable ? 0 : registry.failures + 1;
  const next = nextAfter(end, failures, unfinished);
  const { errors, warnings } = report.summary;
  const outcome = checkOutcome(isUsable, unfinished, errors);
  const isReused = manifest?.viewsReusedFrom !== undefined && storedManifest !== null;
  const usable = {
    resumeAfter: interrupted ? (order[done] ?? null) : null,
    manifest: manifest === null || isReused ? null : keptDocument(manifest, now.toISOString(), () => true),
  };
  const events = [...failureEvents(registry, isUsable, report), ...(certificates?.event ? [certificates.event] : [])];
  const check: EventData['checked'] = {
    outcome,
    seconds: secondsOf(duration),
    errors,
    warnings,
    apps: done,
    changes: countEvents(changes, events),
  };
  const result = {
    checkedAt: at,
    failures,
    failingSince: isUsable ? null : (registry.failingSince ?? at),
    ...next,
    report: truncateReport(report),
    slow: duration > (isUsable ? SLOW.usable : SLOW.failing),
    unchangedToken: isUsable && !unfinished ? unchangedToken : null,
    unauthorized,
    usable: isUsable ? usable : null,
    certificates: certificates?.certificates ?? null,
    events: [...events, ...checkedEvent(registry, at, check)],
  };
  const { nextCheckAt } = next;
  return {
    result,
    figures: { outcome, duration, apps: done, unchanged: false, artifacts, bytes, errors, warnings, nextCheckAt },
  };
}

/** Seconds, of milliseconds. */
export function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds) / 1000;
}

function nextAfter({ at, ...end }: RefreshEnd, failures: number, unfinished: boolean): NextCheck {
  const now = at.getTime();
  return {
    nextCheckAt: new Date(nextCheckTime({ now, failures, unfinished, ...end })),
    // At once, but at most half of the time if it is requested again and again.
    nextIfRequested: new Date(now + end.duration),
  };
}

/** Maximum entries kept of each list of a report, to limit the database size. */
const STORED = { findings: 2000, apps: 5000, notJudged: 5000 };
type ReportList = keyof typeof STORED;

/**
 * A report of limited size. Its counts remain those of the whole report, and its `notJudged` says of each list how many
 * entries it lacks. The most severe findings are kept, and what was not judged of the run as a whole.
 */
export function truncateReport(report: Report): Report {
  const { findings, apps, notJudged } = report;
  const lists = Object.keys(STORED) as ReportList[];
  if (lists.every((list) => report[list].length <= STORED[list])) return report;
  const kept = {
    findings: firstBy(findings, STORED.findings, ({ severity }) => SEVERITIES.indexOf(severity)),
    apps: apps.slice(0, STORED.apps),
    // With room for an entry about each list.
    notJudged: firstBy(notJudged, STORED.notJudged - lists.length, ({ rule }) => (rule === '*' ? 0 : 1)),
  };
  const truncated = lists.flatMap((list) => {
    const count = report[list].length - kept[list].length;
    return count === 0 ? [] : [notJudgedEntry('*', {}, { code: 'list-truncated', list, count })];
  });
  return { ...report, ...kept, notJudged: [...kept.notJudged, ...truncated] };
}

/** The entries with the lowest ranks, in the order of the list. */
function firstBy<Entry>(entries: readonly Entry[], limit: number, rankOf: (entry: Entry) => number): Entry[] {
  if (entries.length <= limit) return [...entries];
  const kept = new Set(entries.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, limit));
  return entries.filter((entry) => kept.has(entry));
}

/** The events of a check as a whole. */

/** Milliseconds after which a check without changes is recorded. */
const DAY = 86_400_000;

/** The manifest became unusable, or usable again. */
function failureEvents(registry: RegistryRecord, isUsable: boolean, report: Report): NewEvent[] {
  const { failingSince } = registry;
  if (isUsable)
    return failingSince === null ? [] : [registryEvent('recovered', { failingSince: failingSince.toISOString() })];
  if (failingSince !== null) return [];
  const blocking = report.findings.find(({ resource, severity }) => resource === 'manifest' && severity === 'error');
  return [registryEvent('failing', { rule: blocking?.rule ?? null })];
}

/** The `checked` event of a check that changed something, or that is the first one for a day; otherwise none. */
function checkedEvent(registry: RegistryRecord, at: Date, check: EventData['checked']): NewEvent[] {
  return isWorthRecording(registry, at, check) ? [registryEvent('checked', check)] : [];
}

function isWorthRecording(
  { checkedEventAt, checkedEventOutcome, errors, warnings }: RegistryRecord,
  at: Date,
  check: EventData['checked'],
): boolean {
  return (
    checkedEventAt === null ||
    at.getTime() - checkedEventAt.getTime() >= DAY ||
    checkedEventOutcome !== check.outcome ||
    errors !== check.errors ||
    warnings !== check.warnings ||
    Object.keys(check.changes).length > 0
  );
}

/** @see CheckOutcome */
function checkOutcome(isUsable: boolean, unfinished: boolean, errors: number): CheckOutcome {
  if (!isUsable) return 'failing';
  if (unfinished) return 'unfinished';
  return errors > 0 ? 'problems' : 'good';
}
