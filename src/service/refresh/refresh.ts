import type { Report } from '../../core/engine/report.ts';
import { openHttpClient } from '../../observe/http/client.ts';
import { keptDocument } from '../../observe/registry/cache/keep.ts';
import { pack } from '../storage/packed.ts';
import { type RevalidationContext, isStillUnchanged } from './unchanged/revalidate.ts';
import { openRecordingClient } from './unchanged/recording-client.ts';
import { type Budget, openBudget } from './budget.ts';
import { truncateReport } from './truncate-report.ts';
import {
  askingOf,
  begin,
  CONNECTIONS,
  DOCUMENTS,
  FINDINGS,
  look,
  type RefreshContext,
  type Run,
  totalOf,
} from './run.ts';
import { type Registry, registryRecords } from '../storage/registries.ts';
import { nextCheck } from './schedule.ts';
import { judgedBy, unchangedTokenIn } from './unchanged/unchanged-token.ts';

/** Refreshes one registry for all of its subscribers: the same engine as `appreg verify`, with a cache. */

export type Outcome =
  /** Observed: no errors, errors, no usable manifest, or not completed. */
  | 'good'
  | 'problems'
  | 'failing'
  | 'unfinished'
  /** Not observed: just refreshed by another job, or without subscribers; or the node is stopping. */
  | 'not-due'
  | 'unwanted'
  | 'handed-back';

/** Milliseconds; a registry that takes longer is refreshed in the slow queue from then on. */
const SLOW = 20_000;

/** Refreshes a registry if it is due. Writes each app when it is done, and the registry's own row at the end. */
export async function refreshRegistry(context: RefreshContext, id: number, stopping: AbortSignal): Promise<Outcome> {
  const now = context.now();
  const registry = await registryRecords(context.db).read(id, now.getTime());
  if (!registry?.due) return 'not-due';
  if (!registry.wanted) return 'unwanted';
  const started = performance.now();
  const budget = openBudget(context.settings.limits, stopping);
  const asked = openRecordingClient(openHttpClient(askingOf(context, budget)));
  try {
    const standing = unchangedTokenIn(registry.standing, judgedBy(context.settings), now.getTime());
    const isKnown = standing !== null && standing.questions.length > 0;
    if (isKnown && (await isStillUnchanged(standing, asked, againOf(context, budget, started), now.getTime()))) {
      return await endUnchanged(context, registry, standing.questions.length - 1, performance.now() - started);
    }
    if (stopping.aborted) return 'handed-back';
    const run = await begin(context, registry, budget, asked, now);
    const interrupted = await look(run);
    if (stopping.aborted) return 'handed-back';
    const took = performance.now() - started;
    const report = run.judging.finish(Math.round(took) / 1000, incompleteness(run, interrupted));
    return await end(run, report, interrupted, took);
  } finally {
    budget.close();
    await asked.http.close();
  }
}

/** Revalidation may take only a part of the time: a full refresh that follows needs the rest. */
const SHARE = 0.25;

function againOf({ settings }: RefreshContext, { signal }: Budget, started: number): RevalidationContext {
  const { limits } = settings;
  const until = started + limits.refresh * SHARE;
  return {
    connections: CONNECTIONS,
    total: totalOf(limits),
    limits: DOCUMENTS,
    ended: () => signal.aborted || performance.now() > until,
  };
}

/** Why the observation is incomplete, worded for the report, or null. */
function incompleteness(run: Run, interrupted: boolean): string | null {
  const { limits } = run.context.settings;
  const all = run.apps === null ? 0 : Object.keys(run.apps).length;
  const parts: string[] = [];
  if (interrupted && run.findings > FINDINGS) parts.push(`there are more than ${FINDINGS} findings`);
  else if (interrupted)
    parts.push(
      `one registry has ${limits.refresh / 1000} s and ${Math.round(limits.artifactBytes / 2 ** 20)} MiB at a time, which ended after ${run.done} of ${all} apps; the others have their turn soon`,
    );
  if (all > limits.apps) parts.push(`of the ${all} apps that are listed, the first ${limits.apps} are looked at`);
  if (run.versionsBeyond > 0)
    parts.push(`${run.versionsBeyond} versions are beyond the ${limits.versionsPerApp} that are kept of one app`);
  return parts.length === 0 ? null : parts.join('; ');
}

/** Nothing changed, so the last outcome stays valid: only the time of the check is written. */
async function endUnchanged(context: RefreshContext, registry: Registry, apps: number, took: number): Promise<Outcome> {
  const at = context.now();
  const next = nextAfter(context, at, took, 0, false);
  const end = { id: registry.id, at, nextCheckAt: next, slow: took > SLOW };
  if (!(await registryRecords(context.db).writeUnchanged(end))) return 'not-due';
  const { errors, warnings } = registry;
  const outcome = errors > 0 ? 'problems' : 'good';
  tell(context, registry, { outcome, took, apps, unchanged: true, artifacts: 0, bytes: 0, errors, warnings, next });
  return outcome;
}

function nextAfter(
  { settings, chance }: RefreshContext,
  at: Date,
  took: number,
  failures: number,
  unfinished: boolean,
): Date {
  const ended = { now: at.getTime(), interval: settings.interval, failures, unfinished, took, chance: chance() };
  return new Date(nextCheck(ended));
}

/** Writes the outcome of the refresh, and the time of the next one. */
async function end(run: Run, report: Report, interrupted: boolean, took: number): Promise<Outcome> {
  const { context, registry, budget } = run;
  const usable = run.apps !== null;
  const unfinished = interrupted || budget.left();
  const failures = usable ? 0 : registry.failures + 1;
  const now = context.now();
  const next = nextAfter(context, now, took, failures, unfinished);
  const kept = usable && run.manifest ? keptDocument(run.manifest, run.now.toISOString(), () => true) : null;
  const taken = run.manifest?.viewsReusedFrom !== undefined && run.remembered !== null;
  await context.db
    .updateTable('registries')
    .set({
      checkedAt: now,
      ...(usable ? { goodAt: now } : {}),
      failingSince: usable ? null : (registry.failingSince ?? now),
      failures,
      nextCheckAt: next,
      errors: report.summary.errors,
      warnings: report.summary.warnings,
      symptoms: JSON.stringify(report.symptoms),
      report: await pack(truncateReport(report)),
      ...(kept && !taken ? { manifest: await pack(kept) } : {}),
      slow: took > SLOW,
      standing: usable && !unfinished ? run.settling.end(report) : null,
      ...(usable ? { resumeAfter: interrupted ? (run.order[run.done] ?? null) : null } : {}),
    })
    .where('id', '=', registry.id)
    .execute();
  const outcome = !usable ? 'failing' : unfinished ? 'unfinished' : report.summary.errors > 0 ? 'problems' : 'good';
  const { errors, warnings } = report.summary;
  const [artifacts, bytes] = [budget.artifacts(), budget.bytes()];
  tell(context, registry, {
    outcome,
    took,
    apps: run.done,
    unchanged: false,
    artifacts,
    bytes,
    errors,
    warnings,
    next,
  });
  return outcome;
}

interface Told {
  outcome: Outcome;
  took: number;
  apps: number;
  /** Whether nothing had to be judged. */
  unchanged: boolean;
  artifacts: number;
  bytes: number;
  errors: number;
  warnings: number;
  next: Date;
}

function tell({ metrics, log }: RefreshContext, { id, url }: Registry, { took, next, ...told }: Told): void {
  const { outcome, artifacts, bytes } = told;
  metrics.refreshes.inc({ outcome });
  metrics.refreshSeconds.observe(took / 1000);
  metrics.artifacts.inc({ outcome: 'fetched' }, artifacts);
  metrics.artifactBytes.inc(bytes);
  log(outcome === 'good' ? 'debug' : 'info', 'registry-refreshed', {
    registry: id,
    url,
    seconds: Math.round(took) / 1000,
    ...told,
    nextCheckAt: next.toISOString(),
  });
}
