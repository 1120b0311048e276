import { sql } from 'kysely';
import type { Report } from '../../core/report.ts';
import { keptDocument } from '../../observe/memory.ts';
import { pack } from '../database/packed.ts';
import { openBudget } from './budget.ts';
import { concise } from './concise.ts';
import { begin, FINDINGS, look, type RefreshContext, type Registry, type Run } from './run.ts';
import { nextCheck } from './schedule.ts';

/** One look at one registry, for all of its subscribers: the same engine as `appreg verify`, with a memory. */

export type Outcome =
  /** It was looked at: no errors, errors, no usable manifest, or not everything was come to. */
  | 'good'
  | 'problems'
  | 'failing'
  | 'unfinished'
  /** It was not: somebody had just looked, or nobody wants it; or the node is told to stop. */
  | 'not-due'
  | 'unwanted'
  | 'handed-back';

/** Milliseconds; whoever takes longer is refreshed beside the others from then on. */
const SLOW = 20_000;

/** Refreshes a registry if it is due. Writes each app as it comes, and the registry's own row at the end. */
export async function refreshRegistry(context: RefreshContext, id: number, stopping: AbortSignal): Promise<Outcome> {
  const registry = await registryRow(context, id);
  if (!registry?.due) return 'not-due';
  if (!registry.wanted) return 'unwanted';
  const started = performance.now();
  const budget = openBudget(context.settings.limits, stopping);
  try {
    const run = await begin(context, registry, budget);
    const interrupted = await look(run);
    if (stopping.aborted) return 'handed-back';
    const took = performance.now() - started;
    const report = run.judging.finish(Math.round(took) / 1000, incompleteness(run, interrupted));
    return await end(run, report, interrupted, took);
  } finally {
    budget.close();
  }
}

async function registryRow({ db, now }: RefreshContext, id: number): Promise<Registry | null> {
  const row = await db
    .selectFrom('registries')
    .where('id', '=', id)
    .select(['id', 'url', 'failures', 'failingSince', 'resumeAfter', 'manifest'])
    .select((eb) => [
      // By the clock of the database, which all nodes share.
      eb('nextCheckAt', '<=', sql<Date>`now() + make_interval(secs => ${(now().getTime() - Date.now()) / 1000})`).as(
        'due',
      ),
      eb.exists(eb.selectFrom('subscriptions').where('registryId', '=', id).select('id')).as('wanted'),
    ])
    .executeTakeFirst();
  return row ? { ...row, due: Boolean(row.due), wanted: Boolean(row.wanted) } : null;
}

/** Why not everything was seen, in words for the report, or null. */
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

/** Writes what became of the registry, and when it is looked at again. */
async function end(run: Run, report: Report, interrupted: boolean, took: number): Promise<Outcome> {
  const { context, registry, budget } = run;
  const { db, settings, log, metrics } = context;
  const usable = run.apps !== null;
  const unfinished = interrupted || budget.left();
  const failures = usable ? 0 : registry.failures + 1;
  const now = context.now();
  const next = nextCheck({
    now: now.getTime(),
    interval: settings.interval,
    failures,
    unfinished,
    took,
    chance: context.chance(),
  });
  const kept = usable && run.manifest ? keptDocument(run.manifest, run.now.toISOString(), () => true) : null;
  const taken = run.manifest?.viewsSince !== undefined && registry.manifest !== null;
  await db
    .updateTable('registries')
    .set({
      checkedAt: now,
      ...(usable ? { goodAt: now } : {}),
      failingSince: usable ? null : (registry.failingSince ?? now),
      failures,
      nextCheckAt: new Date(next),
      errors: report.summary.errors,
      warnings: report.summary.warnings,
      symptoms: JSON.stringify(report.symptoms),
      report: await pack(concise(report)),
      ...(kept && !taken ? { manifest: await pack(kept) } : {}),
      slow: took > SLOW,
      ...(usable ? { resumeAfter: interrupted ? (run.order[run.done] ?? null) : null } : {}),
    })
    .where('id', '=', registry.id)
    .execute();
  const outcome = !usable ? 'failing' : unfinished ? 'unfinished' : report.summary.errors > 0 ? 'problems' : 'good';
  metrics.refreshes.inc({ outcome });
  metrics.refreshSeconds.observe(took / 1000);
  metrics.artifacts.inc({ outcome: 'fetched' }, budget.artifacts());
  metrics.artifactBytes.inc(budget.bytes());
  log(outcome === 'good' ? 'debug' : 'info', 'registry-refreshed', {
    registry: registry.id,
    url: registry.url,
    outcome,
    seconds: Math.round(took) / 1000,
    apps: run.done,
    artifacts: budget.artifacts(),
    bytes: budget.bytes(),
    errors: report.summary.errors,
    warnings: report.summary.warnings,
    nextCheckAt: new Date(next).toISOString(),
  });
  return outcome;
}
