import type { AttestationRequirement } from './attestation.ts';
import type { Count, Moment, PositiveInteger } from '../values/scalars.ts';
import type { ComparedState } from './compared.ts';
import type { Missing } from './missing.ts';
import type { ArtifactFacts, DocumentFacts, IconFacts } from './resource.ts';
import type { ServiceFacts } from './service.ts';

/** The observed state of a registry, as it is saved. */

/** The facts about one app: its metadata file, its icon, and one entry per element of `versions`, in that order. */
export interface AppFacts {
  key: string;
  metadata: DocumentFacts;
  icon: IconFacts;
  artifacts: ArtifactFacts[];
  /** Its about file; absent if it has none, or if it was not requested. */
  about?: DocumentFacts;
}

/** Parts of the registry that were requested by name: apps that should be listed, and a version that each of them should list. */
export interface RequestedApps {
  apps: readonly string[];
  version: string | null;
}

/**
 * Facts about a registry, as `appreg verify --save` writes them, to be judged again with the same result (`appreg
 * judge`). A missing fact is an object with the field `missing`, which says why. Other fields are allowed everywhere.
 *
 * @title appreg facts
 */
export interface Snapshot {
  snapshot: 1;
  /** The URL of the manifest; secrets are hidden. */
  target: string;
  seenAt: Moment;
  /** The requested origins, as the user gave them; empty when none was given. */
  origins: string[];
  manifest: DocumentFacts;
  /** In the order of the manifest. */
  apps: AppFacts[];
  /**
   * Metadata files in a workspace that no app entry points to.
   *
   * @default []
   */
  orphans: string[];
  /** Artifacts in a workspace that no version lists; absent in an older file of facts. */
  unlistedArtifacts?: string[];
  /**
   * The reason why the run did not observe everything (it was interrupted, a limit was reached); absent when it
   * did.
   */
  incomplete?: string | null;
  /** Apps and versions that were requested by name; absent for no such request. */
  requested?: RequestedApps | null;
  /** The entry file of an app's code, at the top level of its artifact; absent if it is app.js. */
  appEntry?: string;
  /** The requirement on attestations; absent if they were not requested. */
  attestations?: AttestationRequirement;
  /** The part of the apps that the run covers; absent when it covers all of them. */
  shard?: Shard;
  /**
   * The state of the registry in a subscriber service, or the reason why that is not known; absent if no service
   * was named.
   */
  service?: ServiceFacts | Missing;
  /** The state that it was compared with (`--against`, or the workspace that it is served from); absent for none. */
  against?: ComparedState;
  /** The hosts that temporarily refused requests; absent when there was none. */
  hosts?: HostFacts[];
}

/** Requests that a host answered and refused (429, 503, a refused or reset connection). */
export interface HostFacts {
  /** Scheme, host and port of its URLs. */
  origin: string;
  /** By the number of requests in flight to it when one was sent, that one included; in ascending order. */
  load: { inFlight: PositiveInteger; answered: Count; refused: Count }[];
  /** The kinds of refusal, each once: `status 503`, or the code of a failure. */
  refusals: string[];
  /**
   * Milliseconds from one request to the next that the host required, since it refused some even one at a time; absent if
   * it did not.
   */
  interval?: PositiveInteger;
}

/** One of several runs that divide the apps among them. */
export interface Shard {
  /** From 1. */
  index: PositiveInteger;
  of: PositiveInteger;
  /** The number of apps in the other shards. */
  elsewhere: Count;
}
