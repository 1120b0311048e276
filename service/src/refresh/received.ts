import { type AppFacts, isMissing, statusOf } from 'appreg';
import type { ArtifactCopy } from 'appreg/node';
import { type StoredVersion } from '../domain/version.ts';
import { type AppRecord } from '../domain/app-changes.ts';
import { type Service } from '../context.ts';
import { type ReceivedArtifact } from '../artifacts/receiving.ts';

/** The bytes that a refresh has fetched to verify them, until they are kept or discarded: they are not downloaded twice. */
export interface ReceivedArtifacts {
  /** For `copyArtifact` of an observation; null if the service keeps no artifacts. */
  copy: (() => ArtifactCopy) | null;
  /** Keeps those of the files whose digests are pinned for an app, and discards the others of the app. */
  keepVerified(facts: AppFacts, versions: readonly StoredVersion[]): Promise<void>;
  /** The checksums of verified versions that the service keeps, of an app whose host reports some artifacts as missing. */
  keptChecksums(facts: AppFacts, record: AppRecord | null): Promise<ReadonlySet<string>>;
  /** At the end: what was not needed. */
  discard(): Promise<void>;
}

const NONE: ReadonlySet<string> = new Set();

export function openReceivedArtifacts(artifacts: Service['artifacts'], registryId: number): ReceivedArtifacts {
  if (artifacts === null)
    return { copy: null, keepVerified: async () => {}, keptChecksums: async () => NONE, discard: async () => {} };
  const received = new Map<string, ReceivedArtifact>();
  return {
    copy: () =>
      artifacts.receive((file) => {
        const other = received.get(file.sha256);
        received.set(file.sha256, file);
        if (other) void artifacts.discard(other);
      }),
    async keepVerified(facts, versions) {
      const verified = new Set(
        versions.flatMap(({ state, artifactChecksum }) => (state === 'verified' ? [artifactChecksum] : [])),
      );
      for (const digest of digestsOf(facts)) {
        const file = received.get(digest);
        if (file === undefined) continue;
        received.delete(digest);
        if (verified.has(`sha256:${digest}`)) await artifacts.keep(registryId, file, true);
        else await artifacts.discard(file);
      }
    },
    async keptChecksums(facts, record) {
      const isAnyGone = facts.artifacts.some(
        ({ web }) => !isMissing(web) && web.server.failure === null && statusOf(web.server) >= 400,
      );
      if (record === null || !isAnyGone) return NONE;
      const verified = record.versions.filter(({ verifiedAt }) => verifiedAt !== null);
      const digests = verified.map(({ artifactChecksum }) => artifactChecksum.replace('sha256:', ''));
      const kept = await artifacts.kept(registryId, digests);
      return new Set([...kept].map((digest) => `sha256:${digest}`));
    },
    async discard() {
      for (const file of received.values()) await artifacts.discard(file);
      received.clear();
    },
  };
}

function digestsOf({ artifacts }: AppFacts): string[] {
  return artifacts.flatMap(({ content, again }) =>
    [content, again].flatMap((one) => (one === undefined || isMissing(one) ? [] : [one.sha256])),
  );
}
