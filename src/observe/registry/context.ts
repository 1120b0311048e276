import type { HeaderProbe, Hop, RepeatedProbe, TlsFacts, Content } from '../../core/facts/facts.ts';
import type { ScanOptions } from '../archive/read-archive.ts';
import type { DigestWorkerPool } from '../archive/digest-worker-pool.ts';
import type { HttpClient } from '../http/client.ts';
import { MAX_ARTIFACT_BYTES } from '../http/limits.ts';
import type { FetchedIcons } from './fetched-icons.ts';
import { type AlternatingOrigins, type MissingFiles, openMissingFiles } from './missing-files.ts';
import { type FirstPerKey, openFirstPerKey, openSample, type Sample } from './sampling.ts';

/** What all observations of a run share: its settings, and what it has learned about the hosts. */

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

/** Additional header names that a browser would send, in lower case, and the only origin that gets them. */
interface SecretNames {
  origin: string;
  names: readonly string[];
}

/** Constant during a run, except for `state`. */
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
  /** How the content of archives is scanned; null if it is not. */
  readonly scan: ScanOptions | null;
  readonly digestWorkers: Pick<DigestWorkerPool, 'open'>;
  /** Shares the workers with the runs of other owners. */
  readonly owner: string;
  /** A body starts; its bytes are reported by `onBytes`. */
  onBody(hop: Hop): void;
  onBytes(count: number): void;
  /** The icons that were fetched; null if no part hands them over. */
  readonly icons: FetchedIcons | null;
  /** Receives the bytes of an artifact; null if they are not needed. */
  copyArtifact(url: string): ArtifactCopy | null;
  readonly state: ObserveState;
}

/** What the run has learned about the hosts so far, so that it is requested once per kind of resource and host. */
interface ObserveState {
  /** Decides for which resources HEAD and preflights are sent. */
  readonly sample: Sample;
  /** Confirms files that a host reports as missing. */
  readonly missingFiles: MissingFiles;
  /** Selects the document that gets conditional requests: one per kind and host. */
  readonly firstPerKey: FirstPerKey;
  /** The certificates that hosts presented in this run, by origin. */
  readonly certificates: Map<string, TlsFacts>;
  /** The hosts that answer 304 to every conditional request. */
  readonly always304Origins: Set<string>;
  readonly alternatingOrigins: AlternatingOrigins;
  /** True if views of a kind of resource and a host are unchanged, once one was observed. */
  readonly unchangedViews: Map<string, Promise<boolean>>;
  /** The kinds of resources and hosts whose first resource was probed. */
  readonly probedKinds: Set<string>;
  /** The header probes made, by kind and host. */
  readonly headerProbes: Map<string, Promise<HeaderProbe[]>[]>;
  /** The results of repeated requests, by kind of resource and request, and by host. */
  readonly repeatedProbes: Map<string, Promise<RepeatedProbe | null>>;
  /** True if a host never answers a kind of request, by kind of request and host. */
  readonly unanswered: Map<string, Promise<RepeatedProbe | null>>;
}

/** The state of a new run. */
export function openState(): ObserveState {
  const alternatingOrigins: AlternatingOrigins = new Map();
  return {
    sample: openSample(),
    missingFiles: openMissingFiles(alternatingOrigins),
    firstPerKey: openFirstPerKey(),
    certificates: new Map(),
    always304Origins: new Set(),
    alternatingOrigins,
    unchangedViews: new Map(),
    probedKinds: new Set(),
    headerProbes: new Map(),
    repeatedProbes: new Map(),
    unanswered: new Map(),
  };
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
