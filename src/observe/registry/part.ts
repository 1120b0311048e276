import type { AppFacts, DocumentFacts, Failure, HostFacts, Missing } from '../../core/facts/facts.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { KnownAbout } from './cache.ts';
import type { ListedArtifact } from './options.ts';

/** The parts that `observe` hands over. */

/**
 * The parts of a registry. The manifest comes first, then the apps in the order of `order`, then the hosts, and `end`
 * last. The parts that are not taken hold the run back, so that memory does not grow with the registry. A consumer that
 * leaves the loop ends all requests.
 */
export interface Observing extends AsyncIterable<Part> {
  /** Changed while the registry is observed. */
  readonly figures: Readonly<Figures>;
}

/** One of the parts in which a registry is observed, by `kind`. */
export type Part = ManifestPart | ListedPart | AppPart | HostsPart | EndPart;

/** The manifest, which comes first. */
export interface ManifestPart {
  readonly kind: 'manifest';
  readonly facts: DocumentFacts;
  /** With the secrets, for a cache; null if the run was interrupted before everything was requested. */
  readonly asObserved: DocumentFacts | null;
  /** The keys of the apps that are observed, in that order. */
  readonly order: readonly string[];
  /** Requested apps that are not in the manifest. */
  readonly unknownApps: readonly string[];
  /** The listed keys that are most similar to those, as a sentence; '' if none is. */
  readonly nearApps: string;
  /** The number of requested apps that belong to other shards. */
  readonly elsewhere: number;
}

/**
 * The versions of an app's metadata file, with the option `announce`. Their artifacts are requested when the next part
 * is asked for. These parts come as the metadata files are received, each before its app.
 */
export interface ListedPart {
  readonly kind: 'listed';
  readonly key: string;
  /** Empty if the metadata file lists none, or cannot be read. */
  readonly versions: readonly JsonValue[];
  /** The artifacts of the versions, in the order listed. */
  readonly artifacts: readonly ListedArtifact[];
  /** Some of `artifacts` are not fetched. @param reason the fact about each in place of its bytes */
  leaveOut(artifacts: Iterable<ListedArtifact>, reason: Missing): void;
}

/** One app, with its metadata, artifacts and icon. */
export interface AppPart {
  readonly kind: 'app';
  readonly facts: AppFacts;
  /** With the secrets, for a cache. */
  readonly asObserved: AppFacts;
  /** Null if its about file was not requested. */
  readonly about: ObservedAbout | null;
  /** Null if it was not fetched, or if an earlier app that uses the same one had it. */
  readonly icon: FetchedIcon | null;
}

/** The hosts that temporarily refused requests, if everything was observed. */
interface HostsPart {
  readonly kind: 'hosts';
  readonly facts: HostFacts[];
}

interface EndPart {
  readonly kind: 'end';
  /** True if the signal or the budget came before everything was observed; the earlier parts remain valid. */
  readonly interrupted: boolean;
}

/** The progress of an observation. */
export interface Figures {
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
  artifacts: {
    /** Those that the metadata files list, and the ones that have the listed digest. */
    listed: number;
    verified: number;
    /** Those that were requested, and those that the budget left to a later run. */
    fetched: number;
    deferred: number;
  };
  /** The reason why some requests were not sent: this machine had no resources for them (ulimit -n); null if all were. */
  machineLimit: string | null;
}

/** The result of a request for an about file. */
export interface ObservedAbout {
  /** Null if the host has none; its content is missing if the host does not say whether it has one. */
  facts: DocumentFacts | null;
  /** For a later run; null unless its content was observed. */
  known: KnownAbout | null;
  /** The reason why the host did not say it, if a request failed; null otherwise. */
  failure: Failure | null;
}

/** An icon that was fetched. */
export interface FetchedIcon {
  /** As a viewer decodes them; null if they are more than `iconBytes`. */
  readonly bytes: Uint8Array | null;
}
