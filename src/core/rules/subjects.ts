import type {
  ArchiveFacts,
  ArtifactFacts,
  Content,
  ContentScan,
  DocumentFacts,
  PublishedVersion,
  HostFacts,
  IconFacts,
  ServedApp,
  ServiceFacts,
  StoredSince,
  SubscribedApp,
  SubscribedRegistry,
  ImageFacts,
  LocalState,
  OtherBase,
  ResourceKind,
  Missing,
  Probe,
  HttpViews,
} from '../facts/facts.ts';
import type { DocumentContent } from '../json/content.ts';
import type { About, AboutReading } from '../about/about-file.ts';
import type { AttestationProblem } from '../attestation/judge.ts';
import type { ObservedAttestation } from '../facts/attestation.ts';
import type { JsonValue, ParsedDocument } from '../json/json.ts';
import type { SideProbes } from '../http/side-probes.ts';
import type { UrlParts } from '../url/url.ts';
import type { AppField } from '../registry/app-fields.ts';
import type { SemanticVersion } from '../registry/semantic-version.ts';
import type { ListedVersions } from '../registry/listed-versions.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import type { Exception } from '../findings/report.ts';

/**
 * The subjects of rules, and the facts that each can provide. A rule names its subject (`on`) and the facts it requires
 * (`needs`); a missing fact makes the rule "not judged" for that subject, with the reason.
 */
export interface Subjects {
  /** The manifest or one metadata file, as a document. */
  document: {
    resource: ResourceKind;
    facts: DocumentFacts;
    content: DocumentContent;
    reading: ParsedDocument;
    value: JsonValue;
  };
  /** A usable manifest: an object whose `apps` is an object. */
  manifest: {
    keys: readonly string[];
    /** Of each of the keys, if it is a text. */
    metadataUrls: readonly (string | null)[];
    iconUrls: readonly (string | null)[];
    /** Null if the base URL of the workspace fits, and for a manifest that is not in a workspace. */
    otherBase: OtherBase | null;
    earlierKeys: readonly string[];
    earlierSource: string;
    /** The apps that were requested by name; empty when none was. */
    requested: readonly string[];
    /** Seconds: the age of a cached copy that may miss recent publications; otherwise 0. */
    copyAge: number;
  };
  /** One entry of `apps`. Its texts are present when they have the right type. */
  app: {
    key: string;
    entry: JsonValue;
    name: string;
    color: string;
    /** The fields that are texts for people, with their values; present when each required one is. */
    texts: readonly { field: AppField; text: string }[];
    earlierSource: string;
  };
  /** A usable metadata file: an object whose `versions` is an array. */
  metadata: {
    versions: readonly VersionEntry[];
    /** The number of elements of `versions`, including those that are not objects. */
    listed: number;
    earlier: readonly PublishedVersion[];
    earlierSource: string;
    /** The key of the app; null if it is not known. */
    app: string | null;
    /** The versions of the apps before; null if the file is that of another app, too. */
    otherApps: ListedVersions | null;
    /** The version that was requested by name, or null. */
    requestedVersion: string | null;
    copyAge: number;
  };
  /** One element of `versions`. */
  version: {
    index: number;
    version: string;
    /** The version that was read; null if it is not a semantic version. */
    semver: SemanticVersion | null;
    checksum: string;
    /** The digits of a well-formed checksum; otherwise null. */
    digest: string | null;
    all: readonly VersionEntry[];
    /** The whole artifact as downloaded; null if it was not observed. */
    served: Content | null;
  };
  /** A URL in a document, or the registry's own. */
  url: {
    resource: ResourceKind;
    url: string;
    parsed: UrlParts;
    /** True if it is written as it is sent: it has no error and no oddity. */
    isPlain: boolean;
    now: string;
    /** The URL of the manifest; null if it is not known. */
    registry: UrlParts | null;
  };
  /** A requested URL. */
  resource: SideProbes & {
    resource: ResourceKind;
    url: string;
    web: HttpViews;
    answer: Probe;
    origins: readonly string[];
    now: string;
    /** The host names whose addresses were each requested, for this resource or for an earlier one. */
    comparedHosts: ReadonlySet<string>;
  };
  artifact: {
    facts: ArtifactFacts;
    content: Content;
    archive: ArchiveFacts;
    /** Result of the scan of the archive's entries; missing if it was stopped before it found a secret. */
    scan: ContentScan;
    /** The same, if all of the content was scanned. */
    wholeScan: ContentScan;
    /** The digest that the metadata lists, when it is well-formed: 64 lowercase hexadecimal digits. */
    digest: string;
    checksum: string;
    all: readonly VersionEntry[];
    /** The observed facts of the artifacts of all entries, by their index. */
    artifacts: readonly ArtifactFacts[];
    /** As for metadata. */
    app: string | null;
    otherApps: ListedVersions | null;
    /** The version as it was published; null if that is not known. */
    before: PublishedVersion | null;
    answer: Probe;
    /** The entry file of the app's code, at the top level of the archive. */
    appEntry: string;
    /** True before the artifact is published, by a command that allows secrets by their fingerprint. */
    isPublishing: boolean;
  };
  /** The attestation of a version's artifact; dispatched only if attestations are checked. */
  attestation: {
    observed: ObservedAttestation;
    /** The first thing that it does not prove; null if it proves everything, and if there is none. */
    problem: AttestationProblem | null;
    /** The version that had one: a lower version of the app, or the same one when it was published; null if none had. */
    attestedBefore: { version: string; isSame: boolean } | null;
    isRequired: boolean;
  };
  /** The about file of an app; dispatched if there is one, or if its host does not say whether there is. */
  about: {
    reading: AboutReading;
    /** Missing if the file has faults. */
    about: About;
    /** The valid versions of the metadata file. */
    listed: readonly string[];
  };
  icon: {
    facts: IconFacts;
    content: Content;
    image: ImageFacts;
    /** The same, if all of the image was read, or if it has a fault. */
    wholeImage: ImageFacts;
    /** The active content of an SVG, if all of it was read; none of any other image. */
    active: ImageFacts['active'];
    web: HttpViews;
    answer: Probe;
    origins: readonly string[];
  };
  /** The path that a URL of the workspace refers to, as messages name it, and what is there; null for a file. */
  'local-file': { resource: ResourceKind; path: string; state: LocalState | null };
  /** A file that the folder lists under another name than in its URL; both are paths relative to the workspace. */
  file: { resource: ResourceKind; path: string; listed: string };
  /** The files of a workspace that nothing refers to: metadata files, and artifacts beside the metadata file of an app. */
  workspace: { orphans: readonly string[]; unlisted: readonly string[] };
  /**
   * State of the registry as a whole in a subscriber service (`served` and `known` are null), or about one app;
   * dispatched at the end of a run.
   */
  subscription: {
    service: ServiceFacts;
    /** Missing if the organization is suspended. */
    registry: SubscribedRegistry;
    /** True if the manifest can be used now. */
    isManifestUsable: boolean;
    /** The app as it is served now. */
    served: ServedApp | null;
    /** The app as the service knows it; null if it does not. */
    known: SubscribedApp | null;
    /** The apps that the service knows and the manifest does not list; of the registry as a whole. */
    dropped: readonly SubscribedApp[];
    /** The versions of the app whose absence other rules report. */
    explained: ReadonlySet<string>;
    now: string;
  };
  /**
   * Stored files, compared with what is served: an app, or the registry as a whole (nothing is `unserved`); dispatched at
   * the end of a run.
   */
  deployment: {
    /** The stored state, as messages name it. */
    source: string;
    /** True if the user requested the comparison. */
    isRequested: boolean;
    /** The versions of the app that are stored and not served; one that is null for the app itself. */
    unserved: readonly { version: string | null; since: StoredSince | null }[];
    isAppServed: boolean;
    /** The latest version that is served; null for none. */
    latest: string | null;
    /** Seconds after which a changed document must be served everywhere. */
    deadline: number;
    /** Served and not stored: versions, and apps (null); of the registry as a whole. */
    unstored: readonly { app: string; version: string | null }[];
    now: string;
  };
  /** A host that temporarily refused requests; dispatched at the end of a run. */
  host: { facts: HostFacts };
  /** An exception of the configuration; dispatched at the end of a run, if what it is about was judged. */
  exception: {
    exception: Exception;
    /** True if the manifest lists an app that it is about, or if it is not about an app. */
    isListed: boolean;
    /** True if a finding matches it. */
    isUsed: boolean;
    /** The keys of the manifest. */
    keys: readonly string[];
  };
}

/** The kinds of things that rules are about. */
export type Subject = keyof Subjects;

/** The facts that the engine provides: each one, or why it is missing. */
export type FactsOf<S extends Subject> = { [K in keyof Subjects[S]]: Subjects[S][K] | Missing };
