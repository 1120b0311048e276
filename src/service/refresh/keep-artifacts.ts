import type { AppFacts } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { statusOf } from '../../core/http/probe.ts';
import type { AppRecord } from '../apps/records-store.ts';
import type { StoredVersion } from '../database/tables.ts';
import type { Run } from './run.ts';

/** Keeps the bytes that a refresh has fetched to verify them: they are not downloaded twice. */

/** For `copyArtifact` of an observation; null if the service keeps no artifacts. */
export function artifactCopies({ context: { artifacts }, received }: Run) {
  if (artifacts === null) return null;
  return () =>
    artifacts.receive((file) => {
      const other = received.get(file.sha256);
      received.set(file.sha256, file);
      if (other) void artifacts.discard(other);
    });
}

/** Keeps those of the files whose digests are pinned for an app, and discards the others of the app. */
export async function keepVerified(
  { context: { artifacts }, registry, received }: Run,
  facts: AppFacts,
  versions: readonly StoredVersion[],
): Promise<void> {
  if (artifacts === null) return;
  const verified = new Set(
    versions.flatMap(({ state, artifactChecksum }) => (state === 'verified' ? [artifactChecksum] : [])),
  );
  for (const digest of digestsOf(facts)) {
    const file = received.get(digest);
    if (file === undefined) continue;
    received.delete(digest);
    if (verified.has(`sha256:${digest}`)) await artifacts.keep(registry.id, file, true);
    else await artifacts.discard(file);
  }
}

/** At the end of a run: what was not needed. */
export async function discardReceived({ context: { artifacts }, received }: Run): Promise<void> {
  for (const file of received.values()) await artifacts?.discard(file);
  received.clear();
}

/** The checksums of verified versions that the service keeps, of an app whose host reports some artifacts as missing. */
export async function keptChecksums(
  { context: { artifacts }, registry }: Run,
  facts: AppFacts,
  record: AppRecord,
): Promise<Set<string>> {
  const isAnyGone = facts.artifacts.some(
    ({ web }) => !isMissing(web) && web.server.failure === null && statusOf(web.server) >= 400,
  );
  if (artifacts === null || !isAnyGone) return new Set();
  const verified = record.versions.filter(({ verifiedAt }) => verifiedAt !== null);
  const digests = verified.map(({ artifactChecksum }) => artifactChecksum.replace('sha256:', ''));
  const kept = await artifacts.kept(registry.id, digests);
  return new Set([...kept].map((digest) => `sha256:${digest}`));
}

function digestsOf({ artifacts }: AppFacts): string[] {
  return artifacts.flatMap(({ content, again }) =>
    [content, again].flatMap((one) => (one === undefined || isMissing(one) ? [] : [one.sha256])),
  );
}
