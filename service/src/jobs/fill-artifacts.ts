import { isAnswered, statusOf } from 'appreg';
import { createDigester, DEFAULT_TIMEOUTS, openHttpClient, type SecretHeaders } from 'appreg/node';
import { type RefreshContext } from '../refresh/plan.ts';
import { type ArtifactKeeper } from '../artifacts/keeper.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeFigures } from '../artifacts/evictions.ts';
import { claimUnkeptArtifacts, type UnkeptArtifact, distrustArtifact } from '../db/unkept-artifacts.ts';
import { credentialsOf } from '../db/credentials.ts';
import { insecureAuthFault, secretHeadersFor } from '../domain/credentials.ts';
import { type ReceivedArtifact } from '../artifacts/receiving.ts';

/**
 * Fetches the bytes of versions that were verified before the service kept artifacts, or were dropped since, and those
 * that a subscriber waits for.
 */
interface ArtifactFiller {
  stop(): Promise<void>;
}

/** Milliseconds between two queries for artifacts that a subscriber waits for, and for all of them. */
const REQUESTED_INTERVAL = 5000;
const FULL_INTERVAL = 300_000;
const BATCH_SIZE = 4;
/** Milliseconds between two checks of the last copies. */
const LAST_COPIES_INTERVAL = 3_600_000;
/** Statuses of a host that does not have an artifact. */
const GONE = new Set([401, 403, 404, 410]);

/**
 * @param keeper where they are kept
 * @param interval milliseconds until the next query after one that found none
 */
export function startArtifactFiller(
  context: RefreshContext,
  keeper: ArtifactKeeper,
  interval = REQUESTED_INTERVAL,
): ArtifactFiller {
  const stopping = new AbortController();
  async function fillUntilStopped(): Promise<void> {
    const { signal } = stopping;
    let allFilledAt = -Infinity;
    let lastCopiesCheckedAt = -Infinity;
    while (!signal.aborted) {
      if (performance.now() - lastCopiesCheckedAt > LAST_COPIES_INTERVAL) {
        lastCopiesCheckedAt = performance.now();
        await checkLastCopies(context, keeper, signal).catch((error: unknown) =>
          context.log('warn', 'last-copies-not-checked', { error }),
        );
      }
      const onlyRequested = performance.now() - allFilledAt < FULL_INTERVAL;
      const found = await fillArtifacts(context, keeper, signal, onlyRequested).catch((error: unknown) => {
        context.log('warn', 'artifacts-not-filled', { error });
        return null;
      });
      if (found !== null && found > 0) continue;
      if (found === 0 && !onlyRequested) allFilledAt = performance.now();
      await sleep(interval, undefined, { signal }).catch(() => {});
    }
  }

  const running = fillUntilStopped();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function checkLastCopies({ log }: RefreshContext, keeper: ArtifactKeeper, signal: AbortSignal): Promise<void> {
  await keeper.tidy();
  await keeper.checkLastCopies(signal);
  const risk = storeFigures(await keeper.files(), keeper.limit);
  if (risk.lastCopiesAtRisk > 0 || risk.isFull) log('warn', 'last-copies-at-risk', { ...risk });
}

/** Fetches a few artifacts. @param onlyRequested those that a subscriber waits for @returns how many were due */
export async function fillArtifacts(
  context: RefreshContext,
  keeper: ArtifactKeeper,
  signal: AbortSignal,
  onlyRequested = false,
): Promise<number> {
  const unkept = await claimUnkeptArtifacts(context.db, keeper.store, BATCH_SIZE, onlyRequested);
  for (const one of unkept) {
    if (signal.aborted) break;
    // An offered file is only dropped for one that a subscriber waits for.
    const file = { sha256: one.sha256, bytes: one.bytes ?? 0 };
    if (!(await keeper.hasRoomFor(one.registryId, file, one.requested))) continue;
    await fill(context, keeper, one, signal);
  }
  return unkept.length;
}

async function fill(
  context: RefreshContext,
  keeper: ArtifactKeeper,
  artifact: UnkeptArtifact,
  signal: AbortSignal,
): Promise<void> {
  const secrets = await secretsFor(context, artifact);
  if (secrets === 'unusable') return;
  const { file, isGone } = await fetchArtifact(context, keeper, artifact, { secrets, signal });
  if (file?.sha256 === artifact.sha256) return void (await keeper.keep(artifact.registryId, file, artifact.requested));
  if (file !== null) await keeper.discard(file);
  // A check decides whether it is still offered.
  if (file !== null || isGone) await distrustArtifact(context.db, artifact.registryId, artifact.artifactUrl);
}

async function secretsFor(
  { db, settings }: RefreshContext,
  { registryId: id, ownerId, registryUrl: url }: UnkeptArtifact,
): Promise<SecretHeaders | null | 'unusable'> {
  const opened = ownerId === null ? null : await credentialsOf(db, settings.secretsKeys, { id, ownerId, url });
  if (opened === null) return null;
  return 'auth' in opened && insecureAuthFault(url) === null ? secretHeadersFor(url, opened.auth) : 'unusable';
}

async function fetchArtifact(
  { settings, outbound }: RefreshContext,
  keeper: ArtifactKeeper,
  { artifactUrl }: UnkeptArtifact,
  { secrets, signal }: { secrets: SecretHeaders | null; signal: AbortSignal },
): Promise<{ file: ReceivedArtifact | null; isGone: boolean }> {
  const { ca, machineCa, limits } = settings;
  const http = openHttpClient({ ca, machineCa, ...outbound, secrets, signal, concurrency: 1 });
  const files: ReceivedArtifact[] = [];
  let current = newCopy();
  function newCopy() {
    const digester = createDigester(limits.artifactBytes);
    return { digester, copy: keeper.receive((file) => void files.push(file)) };
  }
  try {
    const probe = await http.probe({
      method: 'GET',
      url: artifactUrl,
      origin: null,
      accept: '*/*',
      total: DEFAULT_TIMEOUTS.artifact,
      body() {
        void current.copy.discard();
        current = newCopy();
        const { digester, copy } = current;
        return {
          limit: limits.artifactBytes,
          over: 'fail',
          write(chunk) {
            digester.write(chunk);
            return copy.write(chunk);
          },
        };
      },
    });
    if (isAnswered(probe)) await current.copy.end(current.digester.end());
    else await current.copy.discard();
    const isGone = probe.failure === null && GONE.has(statusOf(probe));
    return { file: files.pop() ?? null, isGone };
  } finally {
    await http.close();
  }
}
