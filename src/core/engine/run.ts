import type { AttestationRequirement } from '../facts/attestation.ts';
import type { Baseline, ComparedState, Missing, RequestedApps, ServedApp, Shard } from '../facts/facts.ts';
import type { RegistryPlace } from '../findings/fingerprint.ts';
import type { ExceptionList, KnownFinding } from '../findings/report.ts';
import type { JsonObject } from '../json/json.ts';
import type { UrlParts } from '../url/url.ts';
import { ListedVersions } from '../registry/listed-versions.ts';
import { RequestedHosts } from './hosts.ts';
import type { SubjectLocation } from './location.ts';
import type { RunRecord } from './record.ts';
import type { RuleTable } from './rule-table.ts';
import { UnobservedArtifacts, UnobservedResources } from './unobserved.ts';

/** Settings of the judgement of a run. */
export interface RunSettings {
  /** ISO 8601; the moment of observation. */
  readonly now: string;
  /** The origins that the registry was requested with. */
  readonly origins: readonly string[];
  readonly baseline: Baseline | null;
  /** Apps and versions that were requested by name; null for everything. */
  readonly requested: RequestedApps | null;
  /** The part of the apps that the run covers; null for all of them. */
  readonly shard: Pick<Shard, 'index' | 'of'> | null;
  /** The entry file of an app's code, at the top level of its artifact. */
  readonly appEntry: string;
  /** True for a change that is judged before it is published. */
  readonly isPublishing: boolean;
  /** The requirement on attestations; null if they are not judged. */
  readonly attestations: AttestationRequirement | null;
  /** Findings that do not count; null for no list. */
  readonly exceptions: ExceptionList | null;
  /** The registry, for the fingerprints of its findings. */
  readonly registry: RegistryPlace;
  /** The findings of an earlier report about it, which do not count. */
  readonly known: readonly KnownFinding[];
}

/** The manifest, once it was judged. */
export interface JudgedManifest {
  location: SubjectLocation;
  /** Its app entries by key; null if it cannot be read. */
  apps: JsonObject | null;
}

/** The metadata file of an app, as it is served now. */
export interface ListedApp {
  url: string | null;
  /** The texts of all versions. */
  versions: ReadonlySet<string>;
  /** Null if none is valid. */
  latest: string | null;
  /** Seconds after which a changed file must be served everywhere. */
  deadline: number;
}

/** One run of the engine, and all of its state: what is judged reads it, and writes what it found into the record. */
export class Run {
  readonly settings: RunSettings;
  readonly rules: RuleTable;
  readonly record: RunRecord;
  readonly hosts = new RequestedHosts();
  /** The versions of the apps so far. */
  readonly versionsSoFar = new ListedVersions();
  /** The number of artifacts that each host sent so far. */
  readonly artifactsOfHosts = new Map<string, number>();
  readonly unobserved = new UnobservedResources();
  readonly unobservedArtifacts = new UnobservedArtifacts();
  /** Null before it was judged. */
  manifest: JudgedManifest | null = null;
  /** The URL of the manifest; null if it is not known. */
  registry: UrlParts | null = null;
  /** The apps as they are served now, to be compared with what a service knows; null without a service. */
  readonly served: ServedApp[] | null;
  /** The metadata files that have a list of versions, by app. */
  readonly listed = new Map<string, ListedApp>();
  /** The stored state that is compared at the end of the run; null for none. */
  compared: ComparedState | null = null;
  /** The versions that a subscriber service knows, by app. */
  knownVersions: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  /** @param keepsServed true if what is served will be compared with what a service knows */
  constructor(settings: RunSettings, rules: RuleTable, record: RunRecord, keepsServed: boolean) {
    this.settings = settings;
    this.rules = rules;
    this.record = record;
    this.served = keepsServed ? [] : null;
  }
}

export const NO_BASELINE: Missing = { missing: { code: 'no-baseline' }, runWide: true, intentional: true };
export const NOT_REQUESTED: Missing = { missing: { code: 'not-requested', flag: null } };

/** The place that the baseline is from. */
export function baselineSource({ settings: { baseline } }: Run): string | Missing {
  return baseline === null ? NO_BASELINE : baseline.source;
}

/** The apps of a baseline that were served, as far as it says. */
export function publishedKeys({ keys, isUnserved }: Baseline): readonly string[] {
  return isUnserved === undefined ? keys : keys.filter((key) => !isUnserved(key));
}
