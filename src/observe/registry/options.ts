import type { Content } from '../../core/facts/facts.ts';
import type { DigestWorkerPool } from '../archive/digest-worker-pool.ts';
import type { VerifyBundle } from '../content/attestation.ts';
import type { DetectorLimits } from '../content/detector-run.ts';
import type { HttpClient, HttpOptions } from '../http/client.ts';
import { MAX_ARTIFACT_BYTES } from '../http/limits.ts';
import type { ObservationCache } from './cache.ts';

/** The options of `observe`. */

const MIB = 2 ** 20;

/**
 * Maximum numbers of bytes read. A registry of 100,000 apps has a manifest of 43 MB; 100,000 versions of one app are 20
 * MB of metadata. Many metadata files are in memory at once, so that their limit bounds memory.
 */
export const BYTE_LIMITS = {
  manifest: 64 * MIB,
  metadata: 32 * MIB,
  icon: 5 * MIB,
  artifact: MAX_ARTIFACT_BYTES,
  decoded: 1024 * MIB,
};

export type ByteLimits = Readonly<typeof BYTE_LIMITS>;

/** Options of `observe`; docs/implementers/library.md explains them. */
export interface WebOptions extends HttpOptions {
  /** The client for all requests, instead of one created from these options. It is closed at the end. */
  http?: HttpClient;
  /** Only these apps; null for all. */
  apps?: readonly string[] | null;
  /** Which artifacts to fetch: those of the latest version, of all, or of those that a predicate accepts. */
  versions?: 'latest' | 'all' | ((version: string) => boolean);
  /** The origins of the service's pages. */
  origins?: readonly string[];
  skipArtifacts?: boolean;
  /** True if the content of archives is scanned, for secrets and for what is not part of the app. */
  scanContent?: boolean;
  /**
   * Verifies the attestations of artifacts, which are requested for that; null or absent: they are not requested. With
   * `skipArtifacts`, those of an app are only requested if its highest version has one.
   */
  attestations?: VerifyBundle | null;
  /** Where the scan of one archive ends; absent for no limit of its time. */
  scanLimits?: DetectorLimits;
  /** True if the about files of apps are requested. */
  about?: boolean;
  /** True if one resource of each kind and host is requested from every address of the host. */
  eachAddress?: boolean;
  /** True if a worker thread may digest and list artifacts, if there are many or large ones. */
  threads?: boolean;
  /** Digests and lists all artifacts, instead of one created for this run. It stays open. */
  digestWorkers?: Pick<DigestWorkerPool, 'open'>;
  /** Shares `digestWorkers` with the runs of other owners; '' if absent. */
  owner?: string;
  /** Only the apps of one shard (see core/engine/shards.ts). */
  shard?: { index: number; of: number } | null;
  /** Fetch the artifacts of an app from its highest version downwards, instead of in the order listed. */
  newestFirst?: boolean;
  /** Milliseconds in total for one resource, instead of 60 s (JSON, icons) and 600 s (artifacts). */
  total?: number | { small: number; artifact: number } | null;
  /** The results of earlier runs; null to observe everything again. No app starts before the manifest was dealt with. */
  memory?: ObservationCache | null;
  /** At most the first apps of the manifest. */
  atMost?: number;
  /** Start with the app after this one, and end with it; null, or a key that is not listed: in the manifest's order. */
  startAfter?: string | null;
  /** True if the versions of an app are handed over as a part, before their artifacts are fetched. */
  announce?: boolean;
  /** The limits of this run; null for none. */
  budget?: ObserveBudget | null;
  /** Maximum numbers of bytes read, instead of the defaults. */
  limits?: Partial<ByteLimits>;
  /** Hand over the icons that were fetched, up to this number of bytes each; absent: none. */
  iconBytes?: number;
  /** Called for every body of an artifact: receives its bytes; null if they are not needed. */
  copyArtifact?: ((url: string) => ArtifactCopy | null) | null;
}

/** The limits of a run. An artifact beyond it has the fact `over-budget`, and is left to a later run. */
export interface ObserveBudget {
  /** The number of artifacts. */
  artifacts: number;
  /** Bytes received after which no artifact is started. */
  artifactBytes: number;
  /** Milliseconds since 1970 after which no artifact is started. */
  artifactsUntil: number;
  /** Bytes received after which the run is interrupted. */
  bytes: number;
}

/** An artifact that a metadata file lists. */
export interface ListedArtifact {
  app: string;
  version: string | null;
  /** Null if the version has none that is a text; '' for a checksum that is not. */
  url: string | null;
  checksum: string;
}

/** Receives the bytes of an artifact while it is digested. Its errors are its own: it never throws. */
export interface ArtifactCopy {
  /** The caller may reuse the bytes when this returns; a promise delays the next call. */
  write(chunk: Uint8Array): Promise<void>;
  /** All bytes were received; `content` is about them. */
  end(content: Content): Promise<void>;
  /** The response failed, or is repeated. */
  discard(): Promise<void>;
}
