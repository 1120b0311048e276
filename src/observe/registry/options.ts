import type { AppFacts, DocumentFacts, HostFacts, IconFacts, Missing } from '../../core/facts/facts.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { DetectorLimits } from '../content/detector-run.ts';
import type { DigestWorkerPool } from '../archive/digest-worker-pool.ts';
import type { HttpClient, HttpOptions } from '../http/client.ts';
import type { VerifyBundle } from '../content/attestation.ts';
import type { ArtifactCopy, ByteLimits } from './context.ts';
import type { ObservationCache } from './cache/observation-cache.ts';

/** What a caller of `observeRegistry` gives and gets. */

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
  /** Whether the content of archives is scanned, for secrets and for what is not part of the app. */
  scanContent?: boolean;
  /**
   * Verifies the attestations of artifacts, which are requested for that; null or absent: they are not requested. With
   * `skipArtifacts`, those of an app are only requested if its highest version has one.
   */
  attestations?: VerifyBundle | null;
  /** Where the scan of one archive ends; absent for no limit of its time. */
  scanLimits?: DetectorLimits;
  /** Whether the about files of apps are requested. */
  about?: boolean;
  /** Whether one resource of each kind and host is requested from every address of the host. */
  eachAddress?: boolean;
  /** Whether a worker thread may digest and list artifacts, if there are many or large ones. */
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
  /** The results of earlier runs, to which this run adds its own; null to observe everything again. */
  memory?: ObservationCache | null;
  /** Which of the listed apps to observe in this run, and in which order. */
  choose?: (keys: readonly string[]) => readonly string[];
  /** Called with the versions of an app's metadata file, before their artifacts are fetched. */
  onListed?: (app: string, listed: readonly JsonValue[]) => Promise<void>;
  /** Called before an artifact is fetched: null, or why it is not fetched. */
  afford?: ((artifact: ListedArtifact) => Missing | null) | null;
  /** Maximum numbers of bytes read, instead of the defaults. */
  limits?: Partial<ByteLimits>;
  /** Called with the bytes of every icon that was fetched. */
  onIcon?: (facts: IconFacts, bytes: Uint8Array) => void;
  /** Called for every body of an artifact: receives its bytes; null if they are not needed. */
  copyArtifact?: ((url: string) => ArtifactCopy | null) | null;
  onProgress?: (progress: Readonly<ObserveProgress>) => void;
}

export interface ListedArtifact {
  app: string;
  version: string | null;
  url: string;
  checksum: string;
}

export interface ObserveProgress {
  /** Resources observed, and known so far. */
  done: number;
  known: number;
  /** Bytes received, and announced so far by bodies with a length. */
  bytes: number;
  announced: number;
  /** The host of the last body that started. */
  host: string | null;
  /** The last app that was handed over. */
  app: string | null;
  /** Apps whose metadata file was observed. */
  apps: number;
  /** Artifacts that those list, and the ones that have the listed digest. */
  artifacts: { listed: number; verified: number };
}

/**
 * Receives the facts in the order of the manifest; `Judging` of core is one. A promise applies backpressure; any other
 * result is ignored.
 */
export interface FactsSink {
  manifest(facts: DocumentFacts): unknown;
  app(facts: AppFacts): unknown;
  /** Called at the end if hosts refused requests temporarily. */
  hosts?(facts: HostFacts[]): unknown;
}

export interface ObserveResult {
  /** True if the signal came before everything was observed; what was already handed over remains valid. */
  interrupted: boolean;
  /** Why some requests were not sent: this machine had no resources for them (ulimit -n); null if all were. */
  machineLimit: string | null;
  /** Requested apps that are not in the manifest. */
  unknownApps: string[];
  /** The listed keys that are most similar to those, as a sentence; '' if none is. */
  nearApps: string;
  /** How many of the requested apps belong to other shards. */
  elsewhere: number;
}
