import type { Hop, Missing } from '../../core/facts/facts.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { DigestWorkerPool } from '../archive/digest-worker-pool.ts';
import type { ScanOptions } from '../archive/read-archive.ts';
import type { HttpClient } from '../http/client.ts';
import type { HostsSeen } from './hosts-seen.ts';
import type { ArtifactCopy, ByteLimits, ListedArtifact, WebOptions } from './options.ts';
import type { Figures } from './part.ts';

/** The settings that all observations of a run share, and what it has learned about the hosts. */

/** Additional header names that a browser would send, in lower case, and the only origin that gets them. */
interface SecretNames {
  origin: string;
  names: readonly string[];
}

/** Constant during a run, except for `hosts`. */
export interface ObserveContext {
  readonly http: HttpClient;
  /** The origins of the service's pages; empty if the user gave none. */
  readonly origins: readonly string[];
  readonly secretNames: SecretNames | null;
  /** Milliseconds in total for a document or an icon, and for an artifact. */
  readonly timeouts: { readonly small: number; readonly artifact: number };
  readonly limits: ByteLimits;
  /** ISO 8601; the time of a run with a cache of earlier ones, null without a cache. */
  readonly now: string | null;
  /** True if views are reused for a day without requesting one of each kind and host (ObservationCache.daily). */
  readonly daily: boolean;
  /** The limits of scanning archives; null if they are not scanned. */
  readonly scan: ScanOptions | null;
  readonly digestWorkers: Pick<DigestWorkerPool, 'open'>;
  /** Shares the workers with the runs of other owners. */
  readonly owner: string;
  /** A body starts; its bytes are reported by `onBytes`. */
  onBody(hop: Hop): void;
  onBytes(count: number): void;
  /** An icon was fetched, with the bytes that a viewer decodes. */
  onIcon(url: string, bytes: Uint8Array): void;
  /** Receives the bytes of an artifact; null if they are not needed. */
  copyArtifact(url: string): ArtifactCopy | null;
  readonly hosts: HostsSeen;
}

/** The run, as its apps share it. */
export interface RegistryRun {
  readonly context: ObserveContext;
  readonly options: WebOptions;
  /** Changed while apps are observed. */
  readonly figures: Figures;
  /**
   * Hands over the versions of an app's metadata file, and waits until they were dealt with.
   * @returns the reasons, of the artifacts that are left out
   */
  announce(
    key: string,
    versions: readonly JsonValue[],
    artifacts: readonly ListedArtifact[],
  ): Promise<ReadonlyMap<ListedArtifact, Missing>>;
}
