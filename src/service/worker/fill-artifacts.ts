import { setTimeout as sleep } from 'node:timers/promises';
import { isAnswered } from '../../core/http/probe.ts';
import { openHttpClient } from '../../observe/http/client.ts';
import { DEFAULT_TIMEOUTS } from '../../observe/http/limits.ts';
import { createDigester } from '../../observe/digest/digest.ts';
import type { ArtifactKeeper } from '../artifacts/keeper.ts';
import type { ReceivedArtifact } from '../artifacts/receiving.ts';
import { insecureAuthFault, secretHeadersFor } from '../credentials.ts';
import { claimUnkeptArtifacts, type UnkeptArtifact } from '../storage/artifacts.ts';
import { credentialsOf } from '../storage/registry-credentials.ts';
import type { RefreshContext } from '../refresh/context.ts';
import type { SecretHeaders } from '../../observe/http/request.ts';

/**
 * Fetches the bytes of versions that were verified before the service kept artifacts, or were dropped since, and those
 * that a subscriber waits for.
 */
export interface ArtifactFiller {
  stop(): Promise<void>;
}

/** Milliseconds between two queries for artifacts that a subscriber waits for, and for all of them. */
const REQUESTED_INTERVAL = 5000;
const FULL_INTERVAL = 300_000;
const BATCH_SIZE = 4;

/** @param keeper where they are kept @param interval milliseconds until the next query after one that found none */
export function startArtifactFiller(
  context: RefreshContext,
  keeper: ArtifactKeeper,
  interval = REQUESTED_INTERVAL,
): ArtifactFiller {
  const stopping = new AbortController();
  async function fillUntilStopped(): Promise<void> {
    const { signal } = stopping;
    let allFilledAt = -Infinity;
    while (!signal.aborted) {
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
    // What is offered is only dropped for what a subscriber waits for.
    if (!one.requested && !(await keeper.hasRoomFor(one.bytes ?? 0))) continue;
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
  const file = await fetchArtifact(context, keeper, artifact, { secrets, signal });
  if (file === null) return;
  if (file.sha256 === artifact.sha256) await keeper.keep(artifact.registryId, file, artifact.requested);
  else await keeper.discard(file);
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
): Promise<ReceivedArtifact | null> {
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
    return files.pop() ?? null;
  } finally {
    await http.close();
  }
}
