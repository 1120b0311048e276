import { openHttpClient } from '../../observe/http/client.ts';
import type { CheckOutcome } from '../history/events.ts';
import { Superseded } from './claim-store.ts';
import { type RegistryRecord, registryRecords } from './records-store.ts';
import { checkArtifacts } from './artifact-checks/check-artifacts.ts';
import {
  openBudget,
  type RefreshContext,
  CONNECTIONS,
  DOCUMENT_LIMITS,
  documentTimeout,
  requestOptions,
  requestCredentials,
} from './request-options.ts';
import { discardReceived } from './keep-artifacts.ts';
import { observe } from './observe.ts';
import { discardRun, endRun, endUnchanged, incompleteness } from './outcome.ts';
import { startProgressWriter } from './progress-writer.ts';
import { startRun } from './run.ts';
import { openUnchangedCheck } from './unchanged/unchanged.ts';

/** Refreshes one registry for all of its subscribers: the same engine as `appreg verify`, with a cache. */

export type RefreshOutcome =
  | CheckOutcome
  /** Another job has just refreshed it. */
  | 'not-due'
  /** It has no subscribers. */
  | 'no-subscribers'
  /** Its credentials cannot be opened. */
  | 'credentials-unusable'
  /** The node is stopping: another node does it. */
  | 'released'
  /** This node could not send requests: it has too many open files. Nothing is known about the registry. */
  | 'machine-limit'
  /** Its outcome is discarded: another refresh has taken over the registry. */
  | 'superseded';

/**
 * Asking for artifacts, and then revalidation, may take only a part of the time: a full refresh that follows needs the
 * rest.
 */
const ARTIFACT_CHECK_SHARE = 0.2;
const REVALIDATION_SHARE = 0.35;

/** Refreshes a registry if it is due. Writes each app when it is done, and the registry's own row at the end. */
export async function refreshRegistry(
  context: RefreshContext,
  id: number,
  stopping: AbortSignal,
): Promise<RefreshOutcome> {
  const now = context.now();
  const registry = await registryRecords(context.db).read(id, now.getTime());
  if (!registry?.due) return 'not-due';
  if (!registry.hasSubscribers) return 'no-subscribers';
  try {
    return await refreshDue(context, registry, now, stopping);
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    return discardRun(context, registry);
  }
}

/** @throws Superseded if another refresh has taken over the registry */
async function refreshDue(
  context: RefreshContext,
  registry: RegistryRecord,
  now: Date,
  stopping: AbortSignal,
): Promise<RefreshOutcome> {
  const { settings } = context;
  const credentials = await requestCredentials(context, registry);
  if (credentials === null) return 'credentials-unusable';
  const started = performance.now();
  const elapsed = (): number => performance.now() - started;
  const budget = openBudget(settings.limits, stopping);
  const http = openHttpClient(requestOptions(context, budget, credentials));
  try {
    /** Whether a share of the time is over. */
    const isOver = (share: number): boolean => budget.signal.aborted || elapsed() > settings.limits.refresh * share;
    const artifacts = await checkArtifacts(context, registry, { http, isOver: () => isOver(ARTIFACT_CHECK_SHARE) });
    const check = openUnchangedCheck(http, registry.unchangedToken, settings, now.getTime());
    if (artifacts.fetch.size === 0) {
      const documents = await check.revalidate({
        connections: CONNECTIONS,
        documentTimeout: documentTimeout(settings.limits, registry.checkedAt),
        bytes: DOCUMENT_LIMITS,
        isOver: () => isOver(REVALIDATION_SHARE),
      });
      // All documents but the manifest are metadata files of apps.
      if (documents !== null)
        return await endUnchanged(context, registry, {
          apps: documents - 1,
          duration: elapsed(),
          unfinished: artifacts.unfinished,
        });
    }
    if (stopping.aborted) return 'released';
    const run = await startRun(context, registry, { budget, check, artifacts, now, credentials });
    const progress = startProgressWriter(run);
    const interrupted = await observe(run)
      .finally(progress.stop)
      .finally(() => discardReceived(run));
    if (stopping.aborted) return 'released';
    if (http.machineLimit() !== null) return 'machine-limit';
    const duration = elapsed();
    const report = run.judging.finish(Math.round(duration) / 1000, incompleteness(run, interrupted));
    return await endRun(run, report, interrupted, duration);
  } finally {
    budget.close();
    await http.close();
  }
}
