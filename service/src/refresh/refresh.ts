import type { DocumentFacts } from 'appreg';
import { keysWithPinnedVersions, openAppRecords } from '../db/app-records.ts';
import { Superseded, claimRegistry } from '../db/claims.ts';
import { confirmSubscriptions } from '../db/confirmations.ts';
import { unpack } from '../db/packed.ts';
import { decidePolicies } from '../db/policies.ts';
import {
  readRegistry,
  type RegistryRecord,
  writeUnchanged,
  writeRefreshResult,
  packedManifestOf,
} from '../db/refreshes.ts';
import { type CheckOutcome } from '../domain/events.ts';
import { checkArtifacts } from './artifact-checks.ts';
import { checkAttestations } from './attestation-checks.ts';
import { postponeUnusable, readCredentials, unlessSecret } from './credentials.ts';
import { type Judge, openJudge } from './judge.ts';
import { type Observation } from './observation.ts';
import { unchangedOutcome, incompleteness, secondsOf, refreshOutcome, type RefreshFigures } from './outcome.ts';
import { type ArtifactCheck, type RefreshContext, type RefreshState } from './plan.ts';
import { openReceivedArtifacts } from './received.ts';
import { openRecordingClient, type RecordingClient } from './recording-client.ts';
import { observeRegistry, openRun, type Run } from './run.ts';
import { unchangedTokenIn, judgementKey, isStillUnchanged, type UnchangedToken } from './unchanged.ts';
import { writeParts } from './write-parts.ts';

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

/**
 * Refreshes a registry if it is due. Writes in this order:
 * 1. Credentials that cannot be used: the time of the next refresh, and that damaged ones are refused; then it ends.
 * 2. Artifacts: the request of subscribers for a check is cleared, and it is recorded when each one was asked for.
 * 3. If nothing has changed: confirmed subscriptions, evidence and decisions as in 6, and the time of the check; then it ends.
 * 4. The claim of the registry.
 * 5. Part by part: confirmed subscriptions and the list of apps; the pending versions of an app; the app with its
 *    versions, and the bytes of verified artifacts. Beside it, the progress.
 * 6. Evidence of attestations; which versions it and the policies offer.
 * 7. The row of the registry, with refused subscriptions and its events.
 */
export async function refreshRegistry(
  context: RefreshContext,
  id: number,
  stopping: AbortSignal,
): Promise<RefreshOutcome> {
  const registry = await readRegistry(context.db, id, context.now().getTime());
  const received = performance.now();
  if (!registry?.due) return 'not-due';
  if (!registry.hasSubscribers) return 'no-subscribers';
  // By the clock of the database, which all nodes share: the times that are written are compared with it.
  const now = (): Date => new Date(registry.readAt + performance.now() - received);
  try {
    return await refreshDue({ ...context, now }, registry, stopping);
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    // For example because this node was stopped for a while.
    context.metrics.refreshes.inc({ outcome: 'superseded' });
    context.log('warn', 'refresh-superseded', { registry: id, url: registry.url });
    return 'superseded';
  }
}

/** @throws Superseded if another refresh has taken over the registry */
async function refreshDue(
  context: RefreshContext,
  seen: RegistryRecord,
  stopping: AbortSignal,
): Promise<RefreshOutcome> {
  const credentials = await readCredentials(context, seen);
  if ('fault' in credentials) {
    await postponeUnusable(context, seen, credentials.fault);
    return 'credentials-unusable';
  }
  const run = openRun(context, seen, credentials, stopping);
  try {
    const artifactCheck = await askArtifactHosts(run);
    const revalidation = await revalidate(run, artifactCheck);
    if (revalidation.unchanged !== null) return await finishUnchanged(run, revalidation.unchanged, artifactCheck);
    if (stopping.aborted) return 'released';
    const state = await claimState(run, artifactCheck);
    const observed = await observeAndWrite(run, state, revalidation);
    if (observed === null) return 'machine-limit';
    if (stopping.aborted) return 'released';
    return await finishObserved(run, state, observed);
  } finally {
    await run.close();
  }
}

function askArtifactHosts({ context, seen, web, isOver }: Run): Promise<ArtifactCheck> {
  return checkArtifacts(context, seen, web, () => isOver(ARTIFACT_CHECK_SHARE));
}

/** The result of the conditional requests that may confirm the last outcome. */
interface Revalidation {
  /** The token of the last outcome if it stays valid; otherwise null. */
  unchanged: UnchangedToken | null;
  /** With the responses so far, which an observation reuses. */
  recording: RecordingClient;
  /** The stored token if it says that the outcome depends on time; otherwise null. */
  timeDependentToken: string | null;
}

/** Writes nothing. */
async function revalidate(run: Run, { fetch }: ArtifactCheck): Promise<Revalidation> {
  const { context, seen, client, web, isOver } = run;
  const now = run.now.getTime();
  const recording = openRecordingClient(client);
  const token = unchangedTokenIn(seen.unchangedToken, judgementKey(context.settings), now);
  const isOverFor = (): boolean => isOver(REVALIDATION_SHARE);
  const isUnchanged =
    token !== null && fetch.size === 0 && (await isStillUnchanged(token, recording, now, web.total.small, isOverFor));
  const timeDependentToken = token?.requests.length === 0 ? seen.unchangedToken : null;
  return { unchanged: isUnchanged ? token : null, recording, timeDependentToken };
}

/**
 * Takes over the registry, and reads what its refresh starts from.
 * @throws Superseded if another refresh was faster
 */
async function claimState(
  { context: { db }, seen, web, now }: Run,
  artifactCheck: ArtifactCheck,
): Promise<RefreshState> {
  const registry = await claimRegistry(db, seen);
  const [pinnedKeys, manifest] = await Promise.all([
    keysWithPinnedVersions(db, registry.id),
    packedManifestOf(db, registry.id),
  ]);
  const storedManifest = manifest === null ? null : await unpack<DocumentFacts>(manifest);
  return { registry, pinnedKeys, storedManifest, artifactCheck, web, now };
}

/** Observed and judged; its apps are written. */
interface Observed {
  observation: Observation;
  judge: Judge;
}

/** @returns null if this node could not send a request */
async function observeAndWrite(
  run: Run,
  state: RefreshState,
  { recording, timeDependentToken }: Revalidation,
): Promise<Observed | null> {
  const { context, credentials } = run;
  const { id } = state.registry;
  const judge = openJudge(context, state, recording, timeDependentToken);
  const records = openAppRecords(context.db, id);
  const received = openReceivedArtifacts(context.artifacts, id);
  try {
    const parts = observeRegistry(run, state, recording, { records, received });
    const observation = await writeParts(parts, { context, state, credentials, judge, records, received });
    return observation && { observation, judge };
  } finally {
    await received.discard();
  }
}

/** Nothing changed: the last outcome stays valid. */
async function finishUnchanged(
  run: Run,
  token: UnchangedToken,
  { unfinished: isAskingUnfinished }: ArtifactCheck,
): Promise<RefreshOutcome> {
  const { context, seen, elapsed } = run;
  // First: what a subscription requires of attestations is decided once it is confirmed.
  await confirmSubscriptions(context.db, seen);
  const unfinished = (await decideOffers(run)) || isAskingUnfinished;
  const { confirmation, figures } = unchangedOutcome(seen, {
    at: context.now(),
    random: context.random(),
    interval: context.settings.interval,
    // All documents but the manifest are metadata files of apps.
    apps: token.requests.length - 1,
    duration: elapsed(),
    unfinished,
  });
  if (!(await writeUnchanged(context.db, confirmation))) throw new Superseded();
  return recordRefresh(context, seen, figures);
}

/** The apps are written: attestations and policies are decided, and the registry itself is written. */
async function finishObserved(
  run: Run,
  state: RefreshState,
  { observation: observed, judge }: Observed,
): Promise<RefreshOutcome> {
  const { context, credentials, stopping, elapsed } = run;
  const { limits, interval } = context.settings;
  const hasDeferred = (await decideOffers(run, observed.interrupted)) || observed.hasDeferred;
  const observation = { ...observed, hasDeferred };
  if (stopping.aborted) return 'released';
  const duration = elapsed();
  const incomplete = incompleteness(observation, judge.findings(), limits);
  const { report, unchangedToken } = judge.finish(secondsOf(duration), incomplete, observation.isChanged);
  const { result, figures } = refreshOutcome(state, observation, {
    report,
    unchangedToken: unlessSecret(credentials, unchangedToken),
    end: { at: context.now(), random: context.random(), interval, duration },
  });
  const refusesSubscriptions = observation.apps === null;
  await writeRefreshResult(context.db, state.registry, result, { refusesSubscriptions });
  return recordRefresh(context, state.registry, figures);
}

/**
 * Decides which versions are offered to the subscribers that require attestations or have policies, after the apps are
 * written.
 * @param isEnded whether no more requests may be sent
 * @returns whether some attestations that are due were not asked for
 */
async function decideOffers({ context, seen, client, credentials, budget }: Run, isEnded = false): Promise<boolean> {
  const isOver = (): boolean => isEnded || budget.signal.aborted;
  const isCutOff = await checkAttestations(context, seen, client, credentials, isOver);
  await decidePolicies(context.db, seen.id, context.now());
  return isCutOff;
}

/** Logs and counts a refresh. */
function recordRefresh(
  { metrics, log }: RefreshContext,
  { id, url }: RegistryRecord,
  { duration, nextCheckAt, ...figures }: RefreshFigures,
): CheckOutcome {
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
    nextCheckAt: nextCheckAt.toISOString(),
  });
  return outcome;
}
