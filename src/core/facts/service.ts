/** State of a registry in a subscriber service: observed with `diagnose --service`. Times are ISO 8601. */
export interface ServiceFacts {
  /** Base URL of the service, with a trailing slash. */
  service: string;
  /** The reason why the service refuses all requests of the organization; null if it does not. */
  suspended: string | null;
  /** The subscription; null if the organization is suspended. */
  registry: SubscribedRegistry | null;
  /** The errors of the service's last check. */
  findings: ServiceFinding[];
  /** Content that the last check left out, since it was over a limit of the service. */
  overLimit: { app: string | null; version: string | null; reason: string }[];
  /** The apps that the service knows; null if they were not requested. */
  apps: SubscribedApp[] | null;
}

/** A registry as a service knows it. */
export interface SubscribedRegistry {
  id: string;
  name: string;
  /** As of the API of the service; other versions of it may have other values. */
  state: string;
  checkedAt: string | null;
  goodAt: string | null;
  failingSince: string | null;
  nextCheckAt: string;
}

/** A finding of the last check of a service. */
export interface ServiceFinding {
  rule: string;
  cause: string | null;
  message: string;
  app: string | null;
  version: string | null;
  resource: string;
}

interface KnownApp {
  key: string;
  visible: boolean | null;
  reasons: { code: string; message: string }[];
  latest: string | null;
  failingSince: string | null;
}

/** An app as a service knows it. */
export interface SubscribedApp extends KnownApp {
  /** Null if they were not requested. */
  versions: SubscribedVersion[] | null;
}

/** A version as a service knows it, and the reason why it is not offered. */
export interface SubscribedVersion {
  version: string;
  /** The digest in force: the first one observed. */
  artifactChecksum: string;
  firstSeenAt: string;
  /** Null if it was never verified: then a corrected listing replaces it; absent if the service does not say. */
  verifiedAt?: string | null;
  state: string;
  offered: boolean;
  reason: { rule: string; message: string } | null;
  /** Since when its host lacks the artifact, so that the service offers its own copy; absent if the service does not say. */
  lostAt?: string | null;
  /** Null if the organization does not want attestations of the registry; absent if the service does not say. */
  attestation?: SubscribedAttestation | null;
  /**
   * The reason why the policy of the organization holds it back; null if it does not, absent if the service does
   * not say.
   */
  policyHold?: SubscribedHold | null;
}

/** A version that a policy holds back. */
export interface SubscribedHold {
  /** The line of the policy: the field, and the entry as it is written; null if the policy was not applied to it yet. */
  line: string | null;
  /** A sentence. */
  message: string;
  /** When it will be offered; null if time alone changes nothing. */
  offeredAt: string | null;
}

/** The attestation of a version, as the policy of the organization judges it. */
export interface SubscribedAttestation {
  /** As of the API of the service; other versions of it may have other values. */
  state: string;
  reason: { rule: string; cause: string | null; message: string } | null;
  /** Set if the version is not offered because of its attestation. */
  held: { since: string } | null;
}

/**
 * ISO 8601 in UTC, as the service writes it.
 *
 * @pattern ^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$
 */
type Time = string;

/** A page of registries of the API (docs/operators/service-api.md): of each response, what the facts need. */
export interface RegistriesAnswer {
  registries: RegistryAnswer[];
  next: string | null;
}

/** A registry in a response of the API of the service. */
export interface RegistryAnswer extends SubscribedRegistry {
  url: string;
  checkedAt: Time | null;
  goodAt: Time | null;
  failingSince: Time | null;
  nextCheckAt: Time;
}

/** The report of the last check, of the API of the service. */
export interface ReportAnswer {
  findings: (ServiceFinding & { severity: string })[];
  notJudged: { code: string; app: string | null; version: string | null; reason: string }[];
}

/** A page of apps, of the API of the service. */
export interface AppsAnswer {
  apps: AppAnswer[];
  next: string | null;
}

/** An app in a list of the API of the service. */
export interface AppAnswer extends KnownApp {
  failingSince: Time | null;
  /** The numbers of versions that are offered, and that are known. */
  offered: number;
  versions: number;
}

/** A page of versions, of the API of the service. */
export interface VersionsAnswer {
  versions: VersionAnswer[];
  next: string | null;
}

/** A version in a list of the API of the service. */
export interface VersionAnswer extends SubscribedVersion {
  firstSeenAt: Time;
  verifiedAt?: Time | null;
  lostAt?: Time | null;
}

/** Reasons why a service was not queried, or could not respond. */
export type ServiceFailure =
  | 'no-api'
  | 'unauthorized'
  | 'forbidden'
  | 'unreachable'
  | 'failed'
  | 'not-subscribed'
  | 'never-checked';

/** An app as it is served now. */
export interface ServedApp {
  key: string;
  /** Of its metadata file. */
  url: string | null;
  /** True if its metadata file can be used: it has a list of versions. */
  isUsable: boolean;
  /** The Last-Modified of its metadata file, as ISO 8601; null without one. */
  modifiedAt: string | null;
  /**
   * The rules for which a service that checks it now hides it, because of its documents; empty if they are sound, and if
   * only its metadata file cannot be used, since a service then keeps what it has read.
   */
  hiddenBy: readonly string[];
  /** True if subscribers see it, as far as this run knows. */
  visible: boolean | null;
  /** Valid versions. */
  versions: ServedVersion[];
}

/** A version as it is served now. */
export interface ServedVersion {
  version: string;
  checksum: string | null;
  /** True if its artifact has the listed checksum and no error; null if it was not requested. */
  isVerified: boolean | null;
  /** The rule for which a service that has verified it would no longer offer it; null for none. */
  refusedBy: string | null;
  /** True if a service that has a copy of its artifact would offer that: its host no longer has it. */
  isGone: boolean;
}
