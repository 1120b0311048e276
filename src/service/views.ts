import type { SymptomStatus } from '../core/engine/report.ts';
import type { Actor, AuditAction, AuditDetails, AuditOutcome } from './history/audit-actions.ts';
import type { Scope } from './tokens/scopes.ts';
import type { AuthType } from './registries/credentials.ts';

/** The state of the service, for both the API and the page. Times are ISO 8601; absent values null. */

export interface OrganizationView {
  id: string;
  name: string;
  createdAt: string;
  /** Since when the token that was used has its current value. */
  tokenSince: string;
}

/** An organization as the operator sees it. */
export interface OrganizationSummary {
  id: string;
  name: string;
  createdAt: string;
  /** Since when its tokens are refused; null if they are not. */
  suspendedAt: string | null;
  subscriptions: number;
  tokens: number;
  webhooks: number;
  /** The last use of one of its tokens, with the precision of a minute. */
  lastUsedAt: string | null;
}

export interface TokenView {
  id: string;
  name: string;
  scope: Scope;
  createdAt: string;
  /** From then on it is refused; null if it does not end. */
  expiresAt: string | null;
  /** With the precision of a minute. */
  lastUsedAt: string | null;
}

export interface AuditEntryView {
  id: string;
  at: string;
  actor: Actor;
  action: AuditAction;
  /** What the action was about: the id of a registry, a token or a webhook, and its name at that time. */
  target: { id: string | null; name: string | null };
  outcome: AuditOutcome;
  details: AuditDetails;
}

/** `gone`: it responded with 410. `failing`: no delivery succeeded for days. */
export type WebhookDisabledReason = 'gone' | 'failing';

export interface WebhookView {
  id: string;
  /** Without secrets in its query. */
  url: string;
  /** The types of events that are sent; null for all. */
  events: string[] | null;
  enabled: boolean;
  disabledReason: WebhookDisabledReason | null;
  createdAt: string;
  /** Since when every delivery has failed; null after one that succeeded. */
  failingSince: string | null;
  /** Deliveries that are waiting. */
  pending: number;
  /** Events that were not queued because too many were waiting. */
  dropped: number;
}

/** `cancelled`: the webhook was disabled first. `failed`: given up after three days. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled';

/**
 * Why there was no response. `unreachable` covers every failure to connect, so that it does not reveal the operator's
 * network.
 */
export type DeliveryError = 'unreachable' | 'tls' | 'timeout' | 'connection-lost' | 'secret-unreadable';

export interface DeliveryView {
  /** Sent as `webhook-id`: the same at every attempt. */
  id: string;
  type: string;
  createdAt: string;
  state: DeliveryState;
  attempts: number;
  lastAttemptAt: string | null;
  /** Null unless it is pending. */
  nextAttemptAt: string | null;
  /** The status of the last response; null if there was none. */
  status: number | null;
  error: DeliveryError | null;
}

export interface SubscriptionView {
  id: string;
  url: string;
  name: string;
  official: boolean;
  createdAt: string;
  /**
   * `new`: never checked yet, and no check is running. `checking`: the first check is running, or about to start. The
   * others are the result of the last check, also while a check is running: `good`: without errors. `problems`: it could
   * be read, with errors. `failing`: the manifest could not be used; the last known state remains valid. `unauthorized`:
   * the same, because the host refused the credentials.
   */
  state: 'new' | 'checking' | 'good' | 'problems' | 'failing' | 'unauthorized';
  /** The kind of its credentials, and when they were set; null without credentials. The values are never shown. */
  auth: { type: AuthType; changedAt: string } | null;
  /** Whether a check is running, or one that the organization requested is about to start. */
  checking: boolean;
  /** How far the running check has got; null if none is running, or if nothing is known yet. */
  progress: CheckProgress | null;
  checkedAt: string | null;
  goodAt: string | null;
  failingSince: string | null;
  /** Until the first check since the subscription, it is counted from the time of the subscription. */
  nextCheckAt: string;
  errors: number;
  warnings: number;
  symptoms: SymptomStatus[];
  /** Apps in the manifest, and the number of them that can be installed. */
  apps: number;
  visible: number;
}

/** How far a check has got: "23 of 40 apps read, 11 of 31 artifacts verified". */
export interface CheckProgress {
  /** Apps in the manifest, and those of them whose metadata file was read. */
  apps: { total: number; read: number };
  /** Artifacts listed by the metadata files that were read so far, and those of them that are verified. */
  artifacts: { total: number; verified: number };
}

export interface AppView {
  key: string;
  name: string;
  description: string;
  color: string | null;
  /** With its "#"; '' if there is none. */
  iconFragment: string;
  /** SHA-256 in hexadecimal digits of the icon to show, or null. */
  icon: string | null;
  /** Whether it can be installed: it is listed, and one of its versions is verified; null while unknown. */
  visible: boolean | null;
  /** Why it cannot be installed, or not yet: a code for programs, a message for people. */
  reasons: { code: string; message: string }[];
  /** The highest offered version, or null. */
  latest: string | null;
  /** The number of offered and of known versions, including refused, pending and withdrawn ones. */
  offered: number;
  versions: number;
  /** Since when its metadata file has not been usable; null while it is. */
  failingSince: string | null;
}

/** An app that can be installed, and the registry that offers it. */
export interface InstallableView extends AppView {
  registry: { id: string; name: string };
}

export interface VersionView {
  version: string;
  artifactUrl: string;
  /** The pinned digest; the listed one if none is pinned yet. */
  artifactChecksum: string;
  firstSeenAt: string;
  /** `pending`, `verified` and `refused` as in the table; a withdrawn version is no longer offered. */
  state: 'pending' | 'verified' | 'refused' | 'withdrawn';
  /** Whether it is offered for installation. */
  offered: boolean;
  reason: { rule: string; message: string } | null;
  verifiedAt: string | null;
  bytes: number | null;
  /** The digest listed now, if it differs; this does not change the pinned one. */
  swappedChecksum: string | null;
  /** The digest of the bytes that the host served last, if it differs from `artifactChecksum`. */
  servedChecksum: string | null;
  withdrawnAt: string | null;
  /** Since when its host no longer has the artifact; the service still does, and offers it. */
  lostAt: string | null;
}
