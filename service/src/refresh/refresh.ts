import type { DocumentFacts } from 'appreg';
import { type HttpClient, observe, openHttpClient } from 'appreg/node';
import { type CheckOutcome } from '../domain/events.ts';
import { type ArtifactCheck, type RefreshContext, webOptions, type RefreshState } from './plan.ts';
import {
  readRegistry,
  type RegistryRecord,
  writeUnchanged,
  writeRefreshResult,
  packedManifestOf,
} from '../db/refreshes.ts';
import { Superseded, claimRegistry } from '../db/claims.ts';
import { requestCredentials, type RequestCredentials, unlessSecret } from './credentials.ts';
import { type Budget, openBudget } from './budget.ts';
import { checkArtifacts } from './artifact-checks.ts';
import { openRecordingClient } from './recording-client.ts';
import { unchangedTokenIn, judgementKey, isStillUnchanged, type UnchangedToken } from './unchanged.ts';
import { checkAttestations } from './attestation-checks.ts';
import { decidePolicies } from '../db/policies.ts';
import { confirmSubscriptions } from '../db/confirmations.ts';
import { unchangedOutcome, incompleteness, secondsOf, refreshOutcome, type RefreshFigures } from './outcome.ts';
import { type Judge, openJudge } from './judge.ts';
import { type Observation } from './observation.ts';
import { writeParts } from './write-parts.ts';
import { knownResults } from './known.ts';
import { ICON_BYTES } from './icons.ts';
import { openReceivedArtifacts } from './received.ts';
import { keysWithPinnedVersions, openAppRecords } from '../db/app-records.ts';
import { unpack } from '../db/packed.ts';

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

/** State that the steps of a refresh share. */
interface Run {
  readonly context: RefreshContext;
  /** The registry as it was read at the start. */
  readonly seen: RegistryRecord;
  readonly credentials: RequestCredentials;
  readonly client: HttpClient;
  readonly budget: Budget;
  /** The node is stopping. */
  readonly stopping: AbortSignal;
  /** Milliseconds since the start. */
  elapsed(): number;
}

/** @throws Superseded if another refresh has taken over the registry */
async function refreshDue(
  context: RefreshContext,
  seen: RegistryRecord,
  stopping: AbortSignal,
): Promise<RefreshOutcome> {
  const { limits } = context.settings;
  const now = context.now();
  const credentials = await requestCredentials(context, seen);
  if (credentials === null) return 'credentials-unusable';
  const started = performance.now();
  const elapsed = (): number => performance.now() - started;
  const budget = openBudget(limits, stopping);
  const isOver = (share: number): boolean => budget.signal.aborted || elapsed() > limits.refresh * share;
  const web = webOptions(context, seen, budget.signal, credentials.secrets);
  const client = openHttpClient(web);
  const run: Run = { context, seen, credentials, client, budget, stopping, elapsed };
  try {
    const artifactCheck = await checkArtifacts(context, seen, web, () => isOver(ARTIFACT_CHECK_SHARE));
    const recording = openRecordingClient(client);
    const token = unchangedTokenIn(seen.unchangedToken, judgementKey(context.settings), now.getTime());
    const revalidate = (one: UnchangedToken): Promise<boolean> =>
      isStillUnchanged(one, recording, now.getTime(), web.total.small, () => isOver(REVALIDATION_SHARE));
    if (token !== null && artifactCheck.fetch.size === 0 && (await revalidate(token)))
      return await finishUnchanged(run, token, artifactCheck);
    if (stopping.aborted) return 'released';

    const timeDependentToken = token?.requests.length === 0 ? seen.unchangedToken : null;
    const state = await claimState(context, seen, { artifactCheck, web, now });
    const { registry } = state;
    const judge = openJudge(context, state, recording, timeDependentToken);
    const records = openAppRecords(context.db, registry.id);
    const received = openReceivedArtifacts(context.artifacts, registry.id);
    const parts = observe(registry.url, {
      ...web,
      http: recording.http,
      memory: knownResults(state, records),
      copyArtifact: received.copy,
      iconBytes: ICON_BYTES,
      about: true,
      announce: true,
      atMost: limits.apps,
      startAfter: registry.resumeAfter,
      budget: budget.observation,
    });
    const writing = { context, state, credentials, judge, records, received };
    const observation = await writeParts(parts, writing).finally(received.discard);
    if (observation === null) return 'machine-limit';
    if (stopping.aborted) return 'released';
    return await finishObserved(run, state, judge, observation);
  } finally {
    budget.close();
    await client.close();
  }
}

/** Nothing changed: only the time of the check is written. */
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
  judge: Judge,
  observed: Observation,
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
  await writeRefreshResult(context.db, state.registry, result);
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

/**
 * Takes over the registry, and reads what its refresh starts from.
 * @throws Superseded if another refresh was faster
 */
async function claimState(
  { db }: RefreshContext,
  seen: RegistryRecord,
  rest: Pick<RefreshState, 'artifactCheck' | 'web' | 'now'>,
): Promise<RefreshState> {
  const registry = await claimRegistry(db, seen);
  const [pinnedKeys, manifest] = await Promise.all([
    keysWithPinnedVersions(db, registry.id),
    packedManifestOf(db, registry.id),
  ]);
  return {
    registry,
    pinnedKeys,
    storedManifest: manifest === null ? null : await unpack<DocumentFacts>(manifest),
    ...rest,
  };
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
