import { type Generated, type ColumnType } from 'kysely';
import { type Scope } from '../../domain/scopes.ts';
import { type Actor, type AuditAction, type AuditOutcome, type AuditDetails } from '../../domain/audit.ts';
import { type WebhookDisabledReason, type DeliveryState, type DeliveryError } from '../../domain/webhooks.ts';
import { type EventType } from '../../domain/events.ts';

/** The tables of organizations: who may do what, what was done, and who is notified. `tables.ts` has the others. */

export interface OrganizationRow {
  id: Generated<string>;
  name: string;
  /** Of the request that created it, so that a retry does not create a second one; or null. */
  idempotencyKey: string | null;
  createdAt: Generated<Date>;
  /** Since when its tokens are refused, by the operator; null if they are not. */
  suspendedAt: Generated<Date | null>;
}

/** A token of an organization. */
export interface TokenRow {
  id: Generated<string>;
  organizationId: string;
  name: string;
  scope: Scope;
  /** SHA-256 of the token; the token itself is not stored. */
  hash: Buffer;
  createdAt: Generated<Date>;
  /** Since when it has its current value. */
  secretSince: Generated<Date>;
  expiresAt: Generated<Date | null>;
  /** With the precision of a minute. */
  lastUsedAt: Generated<Date | null>;
}

/** A web session. */
export interface SessionRow {
  /** SHA-256 of the cookie's value. */
  hash: Buffer;
  organizationId: string;
  /** The token that opened it, and ends it. */
  tokenId: string;
  expiresAt: Date;
}

export interface AuditEntryRow {
  /** In the order of recording, written as text by the database. It is not shown: all organizations share it. */
  sequence: ColumnType<string, never, never>;
  id: Generated<string>;
  organizationId: string;
  at: Generated<Date>;
  actorType: Actor['type'];
  tokenId: string | null;
  tokenName: string | null;
  address: string | null;
  action: AuditAction;
  targetId: string | null;
  targetName: string | null;
  outcome: AuditOutcome;
  /** Written as JSON. */
  details: ColumnType<AuditDetails, string, never>;
}

export interface WebhookRow {
  id: Generated<string>;
  organizationId: string;
  /** Masked if it is sealed (domain/webhook-secrets.ts). */
  url: string;
  /** The key that `sealedUrl` is sealed with; null for a URL that is not. */
  urlKeyId: Generated<string | null>;
  sealedUrl: Generated<Buffer | null>;
  /** The types of events that are sent; null for all. */
  events: string[] | null;
  /** The key that `secret` is sealed with (secrets-keys.ts); null if it is not sealed. */
  keyId: string | null;
  /** Its present and replaced secrets (domain/webhook-secrets.ts), sealed if `keyId` is set. */
  secret: Buffer;
  enabled: Generated<boolean>;
  /** The reason why the service disabled it; null if it is enabled, or was disabled by a request. */
  disabledReason: Generated<WebhookDisabledReason | null>;
  createdAt: Generated<Date>;
  /** Since when every delivery has failed; null after one that succeeded. */
  failingSince: Generated<Date | null>;
  /** Events that were not queued because too many were waiting. */
  dropped: Generated<number>;
}

/** An event on its way to a webhook. */
export interface WebhookDeliveryRow {
  /** The order in which they were queued. */
  sequence: ColumnType<string, never, never>;
  id: Generated<string>;
  webhookId: string;
  /** The type of the event. */
  type: string;
  /** The JSON text that is sent: the same at every attempt. */
  body: string;
  createdAt: Generated<Date>;
  /** `cancelled`: the webhook was disabled before it could be delivered. */
  state: Generated<DeliveryState>;
  attempts: Generated<number>;
  /** Increases with every attempt and every redelivery: only the latest one may write its outcome. */
  claim: Generated<number>;
  /** While an attempt is in progress: when another node may repeat it. */
  nextAttemptAt: Generated<Date>;
  lastAttemptAt: Generated<Date | null>;
  /** The status of the last response, or why there was none. */
  status: Generated<number | null>;
  error: Generated<DeliveryError | null>;
  finishedAt: Generated<Date | null>;
}

/** The tables of the verified bytes that the service keeps (`--artifacts`). */

/** A file of a store. */
export interface ArtifactRow {
  /** The store, since several can be in use one after another. */
  store: string;
  sha256: Buffer;
  bytes: string;
  /** SHA-256 of each part, one after another: a part is verified before it is sent. */
  partDigests: Buffer;
  reservedAt: Generated<Date>;
  /** Null until the file is written completely. */
  storedAt: Date | null;
  usedAt: Generated<Date>;
}

/** A registry that has delivered the file: only its subscribers can get it. */
export interface KeptArtifactRow {
  store: string;
  sha256: Buffer;
  registryId: number;
}

/** Event of a registry and its apps (domain/events.ts). */
export interface EventRow {
  /** In the order of recording. It is not shown: it would reveal how much happens in other registries. */
  sequence: ColumnType<string, never, never>;
  id: Generated<string>;
  registryId: number;
  /** The subscription, if the event is about a single one; null for an event that all subscribers see. */
  subscriptionId: string | null;
  at: Date;
  type: EventType;
  appKey: string | null;
  version: string | null;
  /** EventData of the type; written as JSON. */
  data: ColumnType<unknown, string, never>;
}
