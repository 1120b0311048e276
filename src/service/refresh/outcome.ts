import type { Report } from '../../core/engine/report.ts';
import { keptDocument } from '../../observe/registry/cache/keep.ts';
import type { CheckOutcome, EventData, NewEvent } from '../history/events.ts';
import { confirmSubscriptions } from '../registries/insert-store.ts';
import { Superseded } from './claim-store.ts';
import { type NextCheck, type RegistryRecord, registryRecords, writeRefreshResult } from './records-store.ts';
import { checkedEvent, checkOutcome, failureEvents } from './check-events.ts';
import { type RefreshContext, unlessSecret } from './request-options.ts';
import { FINDINGS_LIMIT, type Run } from './run.ts';
import { nextCheckTime } from './schedule.ts';
import { truncateReport } from './truncate.ts';

/** The end of a refresh: what is written, logged and counted. */

/** Milliseconds; a registry that takes longer is refreshed in the slow queue from then on, one that fails sooner. */
const SLOW = { usable: 20_000, failing: 5000 };

/** Why the observation is incomplete, worded for the report, or null. */
export function incompleteness({ context, progress }: Run, interrupted: boolean): string | null {
  const { limits } = context.settings;
  const listed = progress.apps === null ? 0 : Object.keys(progress.apps).length;
  const reasons: string[] = [];
  if (interrupted && progress.findings > FINDINGS_LIMIT) reasons.push(`there are more than ${FINDINGS_LIMIT} findings`);
  else if (interrupted)
    reasons.push(
      `a check is limited to ${limits.refresh / 1000} s and ${Math.round(limits.artifactBytes / 2 ** 20)} MiB per registry, which was enough for ${progress.done} of ${listed} apps; the others will be checked soon`,
    );
  if (listed > limits.apps) reasons.push(`${listed} apps are listed, but only the first ${limits.apps} are checked`);
  if (progress.versionsBeyond > 0)
    reasons.push(
      `at most ${limits.versionsPerApp} versions are stored per app, so ${progress.versionsBeyond} were left out`,
    );
  return reasons.length === 0 ? null : reasons.join('; ');
}

/**
 * Nothing changed, so the last outcome stays valid: only the time of the check is written.
 * @throws Superseded if another refresh has taken over the registry
 */
export async function endUnchanged(
  context: RefreshContext,
  registry: RegistryRecord,
  { apps, duration, unfinished }: { apps: number; duration: number; unfinished: boolean },
): Promise<CheckOutcome> {
  const at = context.now();
  const next = nextAfter(context, { at, duration, failures: 0, unfinished });
  const { errors, warnings } = registry;
  const outcome = checkOutcome(true, false, errors);
  const check = { outcome, seconds: secondsOf(duration), errors, warnings, apps, changes: {} };
  const events = checkedEvent(registry, at, check);
  const { id, refreshNumber, requests } = registry;
  const confirmation = {
    id,
    refreshNumber,
    requests,
    at,
    ...next,
    slow: duration > SLOW.usable,
    events,
  };
  await confirmSubscriptions(context.db, registry);
  if (!(await registryRecords(context.db).writeUnchanged(confirmation))) throw new Superseded();
  recordRefresh(context, registry, {
    outcome,
    duration,
    apps,
    unchanged: true,
    artifacts: 0,
    bytes: 0,
    errors,
    warnings,
    next,
  });
  return outcome;
}

/**
 * Writes the outcome of the refresh, and the time of the next one.
 * @throws Superseded if another refresh has taken over the registry
 */
export async function endRun(run: Run, report: Report, interrupted: boolean, duration: number): Promise<CheckOutcome> {
  const { context, registry, budget, progress } = run;
  const isUsable = progress.apps !== null;
  const unfinished = interrupted || budget.hasDeferred() || run.artifacts.unfinished;
  const failures = isUsable ? 0 : registry.failures + 1;
  const checkedAt = context.now();
  const next = nextAfter(context, { at: checkedAt, duration, failures, unfinished });
  const { errors, warnings } = report.summary;
  const outcome = checkOutcome(isUsable, unfinished, errors);
  const check = { outcome, seconds: secondsOf(duration), errors, warnings, apps: progress.done };
  await writeRefreshResult(context.db, registry, {
    checkedAt,
    failures,
    failingSince: isUsable ? null : (registry.failingSince ?? checkedAt),
    ...next,
    report: truncateReport(report),
    slow: duration > (isUsable ? SLOW.usable : SLOW.failing),
    unchangedToken: isUsable && !unfinished ? unlessSecret(run.credentials, run.expiry.end(report)) : null,
    unauthorized: progress.unauthorized,
    usable: isUsable
      ? {
          resumeAfter: interrupted ? (progress.order[progress.done] ?? null) : null,
          manifest: manifestToStore(run),
        }
      : null,
    certificates: progress.certificates?.certificates ?? null,
    events: eventsOf(run, report, checkedAt, check),
  });
  recordRefresh(context, registry, {
    outcome,
    duration,
    apps: progress.done,
    unchanged: false,
    artifacts: budget.artifacts(),
    bytes: budget.bytes(),
    errors,
    warnings,
    next,
  });
  return outcome;
}

/** Another refresh has taken over the registry, for example because this node was stopped for a while. */
export function discardRun({ metrics, log }: RefreshContext, { id, url }: RegistryRecord): 'superseded' {
  metrics.refreshes.inc({ outcome: 'superseded' });
  log('warn', 'refresh-superseded', { registry: id, url });
  return 'superseded';
}

/** The events of a check that observed and judged: those of the apps are recorded already. */
function eventsOf(
  { registry, progress }: Run,
  report: Report,
  at: Date,
  check: Omit<EventData['checked'], 'changes'>,
): NewEvent[] {
  const { recorded, certificates } = progress;
  const events = failureEvents(registry, progress.apps !== null, report);
  if (certificates?.event) events.push(certificates.event);
  recorded.add(events);
  return [...events, ...checkedEvent(registry, at, { ...check, changes: recorded.byType() })];
}

function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds) / 1000;
}

/** @returns null if the stored one is to be kept */
function manifestToStore({ now, storedManifest, progress }: Run) {
  const { manifest } = progress;
  const isReused = manifest?.viewsReusedFrom !== undefined && storedManifest !== null;
  return manifest === null || isReused ? null : keptDocument(manifest, now.toISOString(), () => true);
}

function nextAfter(
  { settings, random }: RefreshContext,
  { at, ...end }: { at: Date; duration: number; failures: number; unfinished: boolean },
): NextCheck {
  const now = at.getTime();
  return {
    nextCheckAt: new Date(nextCheckTime({ now, interval: settings.interval, random: random(), ...end })),
    // At once, but at most half of the time if it is requested again and again.
    nextIfRequested: new Date(now + end.duration),
  };
}

interface RefreshFigures {
  outcome: CheckOutcome;
  duration: number;
  apps: number;
  /** Whether nothing had to be judged. */
  unchanged: boolean;
  artifacts: number;
  bytes: number;
  errors: number;
  warnings: number;
  next: NextCheck;
}

/** Logs and counts a refresh. */
function recordRefresh(
  { metrics, log }: RefreshContext,
  { id, url }: RegistryRecord,
  { duration, next, ...figures }: RefreshFigures,
): void {
  const { outcome, artifacts, bytes } = figures;
  metrics.refreshes.inc({ outcome });
  metrics.refreshSeconds.observe(duration / 1000);
  metrics.artifacts.inc({ outcome: 'fetched' }, artifacts);
  metrics.artifactBytes.inc(bytes);
  log(outcome === 'good' ? 'debug' : 'info', 'registry-refreshed', {
    registry: id,
    url,
    seconds: secondsOf(duration),
    ...figures,
    nextCheckAt: next.nextCheckAt.toISOString(),
  });
}
