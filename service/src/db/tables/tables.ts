import type { PolicyDocument, SymptomStatus } from 'appreg';
import {
  type OrganizationRow,
  type TokenRow,
  type SessionRow,
  type AuditEntryRow,
  type WebhookRow,
  type WebhookDeliveryRow,
  type EventRow,
  type ArtifactRow,
  type KeptArtifactRow,
} from './organizations.ts';
import { type AboutFileRow, type AboutVersionRow, type AttestationRow } from './claims.ts';
import { type AttestationDecisionRow } from '../../domain/attestations.ts';
import { type PolicyDecisionRow } from '../../domain/policies.ts';
import { type IconRow } from '../../domain/icons.ts';
import { type FurtherFields } from '../../domain/further-fields.ts';
import { type Generated, type ColumnType, type Selectable } from 'kysely';
import { type CheckOutcome, type EventCertificate } from '../../domain/events.ts';
import { type CheckProgress } from '../../domain/registries.ts';
import { type AuthType } from '../../domain/credentials.ts';
import { type AttestationMode, type SignerRequirement } from '../../domain/signers.ts';
import { type Validators } from '../../domain/version.ts';

/** The tables, as used in queries: names in camel case, an interface per row. `migrations/` creates them. */

export interface Database {
  organizations: OrganizationRow;
  tokens: TokenRow;
  sessions: SessionRow;
  auditEntries: AuditEntryRow;
  webhooks: WebhookRow;
  webhookDeliveries: WebhookDeliveryRow;
  registries: RegistryRow;
  registryCredentials: RegistryCredentialsRow;
  subscriptions: SubscriptionRow;
  apps: AppRow;
  versions: VersionRow;
  aboutFiles: AboutFileRow;
  aboutVersions: AboutVersionRow;
  attestations: AttestationRow;
  attestationDecisions: AttestationDecisionRow;
  policyDecisions: PolicyDecisionRow;
  icons: IconRow;
  events: EventRow;
  artifacts: ArtifactRow;
  keptArtifacts: KeptArtifactRow;
}

/** A registry, shared by all of its subscribers unless it has an owner. */
export interface RegistryRow {
  id: Generated<number>;
  /** As written by `parseRegistryUrl` (domain/registry-url.ts); the same manifest has one shared row. */
  url: string;
  createdAt: Generated<Date>;
  /** The end of the last refresh, regardless of its outcome; null before the first one. */
  checkedAt: Date | null;
  /** The end of the last refresh with a usable manifest. */
  goodAt: Date | null;
  /** Since when refreshes have failed; null while they succeed. */
  failingSince: Date | null;
  /** Consecutive failed refreshes. */
  failures: Generated<number>;
  /** The source of truth of the schedule: the registry is due from this time. */
  nextCheckAt: Generated<Date>;
  /** Incremented by each refresh that writes: an earlier one can no longer write (db/refreshes.ts). */
  refreshNumber: Generated<number>;
  /** Number of times that it was made due by a request. */
  requests: Generated<number>;
  /** Counts of the last report. */
  errors: Generated<number>;
  warnings: Generated<number>;
  /** The four symptoms of the last report; written as JSON. */
  symptoms: ColumnType<SymptomStatus[] | null, string | null, string | null>;
  /** gzip of JSON (packed.ts): the Report of the last refresh. */
  report: Buffer | null;
  /** The same: the last observed manifest (DocumentFacts), for conditional requests. */
  manifest: Buffer | null;
  /**
   * The key of the app at which the last refresh reached its deadline; the next one starts after it. Null if it
   * completed.
   */
  resumeAfter: string | null;
  /** True if the last refresh was slow: such registries have separate workers, and do not delay others. */
  slow: Generated<boolean>;
  /**
   * The responses under which the last outcome stays valid (refresh/unchanged.ts); null if the registry must be
   * observed and judged again.
   */
  unchangedToken: Generated<string | null>;
  /** The last `checked` event: when it was, and its outcome; null before the first one. */
  checkedEventAt: Generated<Date | null>;
  checkedEventOutcome: Generated<CheckOutcome | null>;
  /** The certificates that the manifest’s host had, the last one first; written as JSON. */
  certificates: ColumnType<EventCertificate[] | null, string | null | undefined, string | null>;
  /** When a subscriber last requested that every offered artifact is asked for; null once a refresh has done so. */
  artifactsRequestedAt: Generated<Date | null>;
  /** Progress of the running refresh; null if none is running, or if it has not got far yet. */
  progress: ColumnType<CheckProgress | null, string | null | undefined, string | null>;
  /** The only organization that uses it, since it has or had credentials; null if it is shared. */
  ownerId: Generated<string | null>;
  /** True if the host refused its credentials in the last refresh. */
  unauthorized: Generated<boolean>;
}

/** The credentials of a registry with an owner. */
interface RegistryCredentialsRow {
  registryId: number;
  type: AuthType;
  /** The key that sealed them (secrets-keys.ts). */
  keyId: string;
  /** JSON of RegistryAuth (domain/credentials.ts). */
  sealed: Buffer;
  changedAt: Generated<Date>;
}

interface SubscriptionRow {
  id: Generated<string>;
  organizationId: string;
  registryId: number;
  name: string;
  /** True for the core and the community registry, which every organization is subscribed to at creation. */
  official: Generated<boolean>;
  /** The last event of the shared registry before the subscription got credentials; null if it did not. */
  sharedUntil: Generated<string | null>;
  createdAt: Generated<Date>;
  /** Since when it uses this row of the registry: earlier times are not shown. */
  registrySince: Generated<Date>;
  /**
   * When the host had served the URL of the registry for this subscription; null until then: what the service has stored
   * is not shown (CONFIRMED in conditions.ts).
   */
  confirmedAt: Generated<Date | null>;
  /** When the organization last requested a check; null once it has started, or if it never did. */
  checkRequestedAt: Generated<Date | null>;
  /** When a check that began since then failed; null if none did, and once it is confirmed. */
  refusedAt: Generated<Date | null>;
  /** The mode decides whether attestations are fetched, and whether only versions with a valid one are offered. */
  attestations: Generated<AttestationMode>;
  /** Who has to have signed; null if attestations are off. Written as JSON. */
  attestationSigner: ColumnType<SignerRequirement | null, string | null | undefined, string | null>;
  /** Which versions it takes; null for all. Written as JSON. */
  policy: ColumnType<PolicyDocument | null, string | null | undefined, string | null>;
}

/** An app of a registry, as of the last time its registry and its metadata file could be read. */
interface AppRow {
  registryId: number;
  key: string;
  /** Its index in the manifest. */
  position: number;
  name: string;
  description: string;
  /** #RRGGBB, or null if the manifest has no valid color. */
  color: string | null;
  /** The last valid icon (icons.sha256). */
  icon: Buffer | null;
  /** The fragment of the icon's URL with its "#": the part of an SVG to show. '' if there is none. */
  iconFragment: Generated<string>;
  /** The fields of the manifest that have no column, by name; written as JSON. A field that was added later is absent. */
  fields: ColumnType<FurtherFields, string | undefined, string>;
  /** True if it is in the manifest; false after it was removed. */
  listed: boolean;
  /** As in AppVerdict (core/findings/report.ts); null while unknown. */
  visible: boolean | null;
  /** Ids of the rules that hide it. */
  because: string[];
  /**
   * The offered version (`versions`: verified, not withdrawn) that is offered as the latest: the highest one, unless its
   * author retired it (core/about/retirement.ts). Null if none is offered.
   */
  latest: string | null;
  /** Since when its metadata file has not been usable; the versions are those from before. Null while it is usable. */
  failingSince: Date | null;
  /** gzip of JSON: the cached facts (RememberedApp, observe/registry/cache.ts). */
  remembered: Buffer | null;
  /** True if its last event says that it is hidden (`app-hidden`). */
  hidden: Generated<boolean>;
}

/** A version of an app. Its digest is pinned once its bytes match it. */
export interface VersionRow {
  registryId: number;
  appKey: string;
  version: string;
  /** The last URL that served bytes with that digest. */
  artifactUrl: string;
  /**
   * `sha256:` and 64 hexadecimal digits: pinned from the first time that the bytes matched, and unchanged from then
   * on. Before that, the version could not be installed, so a fixed listing replaces it.
   */
  artifactChecksum: string;
  firstSeenAt: Generated<Date>;
  /**
   * `pending`: not fetched yet. `verified`: its bytes matched the listed digest; only such versions are offered.
   * `refused`: the bytes did not match or could not be fetched; `reason` says which.
   */
  state: 'pending' | 'verified' | 'refused';
  /** Id of the rule that explains the refusal, and its message; null otherwise. */
  rule: string | null;
  reason: string | null;
  /** When its bytes last matched the digest; null if they never did. */
  verifiedAt: Date | null;
  /** When it was last attempted; null before the first time. */
  triedAt: Date | null;
  /** Size of the artifact in bytes, once it is verified. */
  bytes: ColumnType<string | null, number | null, number | null>;
  /** The digest listed now, if it differs from the pinned one: the artifact was swapped. */
  swappedChecksum: string | null;
  /** The digest of the bytes that the host served last, if it differs from `artifactChecksum`; null otherwise. */
  servedChecksum: Generated<string | null>;
  /** Since when the metadata file no longer lists it; null while it does. */
  withdrawnAt: Date | null;
  /** Since when its host no longer has the bytes, which the service keeps; null while it has them. */
  lostAt: Generated<Date | null>;
  /**
   * Validators that its host sends with the bytes of that digest, to detect other bytes without fetching them; written
   * as JSON.
   */
  validators: ColumnType<Validators[] | null, string | null | undefined, string | null>;
  /** When its host last confirmed the artifact; null if it must be asked by the next refresh. */
  askedAt: Generated<Date | null>;
}

/** Rows as read. */
export type StoredRegistry = Selectable<RegistryRow>;
