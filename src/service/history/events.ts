import type { Retirement } from '../../core/about/about-file.ts';
import type { PolicyDocument } from '../../core/policy/policy-document.ts';

/** What happened to a subscription, its registry and its apps: the history, for the API, the pages and webhooks. */

/** All types of events, in the order of the documentation. */
export const EVENT_TYPES = [
  'subscribed',
  'checked',
  'failing',
  'recovered',
  'version-listed',
  'version-verified',
  'version-refused',
  'version-withdrawn',
  'version-restored',
  'version-held',
  'version-attested',
  'version-deprecated',
  'version-undeprecated',
  'app-listed',
  'app-hidden',
  'app-shown',
  'app-key-claimed',
  'certificate-changed',
  'policy-changed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export function isEventType(text: string): text is EventType {
  return EVENT_TYPES.some((type) => type === text);
}

/** A certificate of a host, as far as subscribers compare it. */
export interface EventCertificate {
  /** SHA-256 of the certificate, as printed by OpenSSL. */
  fingerprint256: string;
  subject: string;
  issuer: string;
  /** ISO 8601. */
  notAfter: string;
}

/** What changed, by the type of the event: typed values, no prose. Times are ISO 8601. */
export interface EventData {
  /** The organization subscribed to the registry. `official`: at its creation. */
  subscribed: { official: boolean };
  /** A check ended. One is recorded if anything changed, and one a day otherwise. */
  checked: {
    /** As in the log of the service: `unfinished` checks continue soon. */
    outcome: CheckOutcome;
    /** How long it took. */
    seconds: number;
    errors: number;
    warnings: number;
    /** Apps that were checked. */
    apps: number;
    /** The number of events that this check recorded, by type. */
    changes: Partial<Record<EventType, number>>;
  };
  /** The manifest became unusable. `rule`: the id of the first rule that says why; null if none does. */
  failing: { rule: string | null };
  /** The manifest is usable again. */
  recovered: { failingSince: string };
  /** The metadata file lists a version that it did not list before. `checksum`: as listed. */
  'version-listed': { checksum: string; artifactUrl: string };
  /** The artifact matched the listed digest for the first time: the version is offered, and this digest is pinned. */
  'version-verified': { checksum: string; bytes: number | null };
  /** A version, or its replacement, is not offered. */
  'version-refused': {
    /** The id of the rule that says why. */
    rule: string;
    /** The pinned digest; the listed one if none is pinned yet. */
    checksum: string;
    /** The listed digest, if it is not the pinned one; otherwise null. */
    listed: string | null;
    /** The digest of the bytes that the host served; null if they were not fetched, or match. */
    served: string | null;
    /** Whether the version is still offered, with the pinned digest. */
    offered: boolean;
  };
  /** The metadata file no longer lists the version. `wasVerified`: its digest remains pinned in case it is listed again. */
  'version-withdrawn': { checksum: string; wasVerified: boolean };
  /** A version is offered again, with the pinned digest. */
  'version-restored': { checksum: string };
  /** The subscription requires attestations, and the version has no valid one, or it is not known yet (`rule` is null). */
  'version-held': { checksum: string; rule: string | null; cause: string | null };
  /** The version has the attestation that the subscription requires, and is offered to it. Null for what it does not say. */
  'version-attested': {
    checksum: string;
    issuer: string | null;
    identity: string | null;
    repository: string | null;
    commit: string | null;
    /** The SHA-256 of the public key, for a signature by a key. */
    key: string | null;
  };
  /** The author retired the version, or changed what it says about that; it stays offered. Null for what it does not say. */
  'version-deprecated': Retirement;
  /** The author withdrew that. `reason`: why it had been retired. */
  'version-undeprecated': Pick<Retirement, 'reason'>;
  /** The manifest lists an app that it did not list before. */
  'app-listed': { name: string };
  /** An app cannot be installed. `reasons`: codes as in the app's `reasons`. */
  'app-hidden': { reasons: string[] };
  /** An app that was hidden can be installed. `latest`: its highest offered version. */
  'app-shown': { latest: string };
  /** The registry lists an app whose key another registry of the organization lists already: the first one of them. */
  'app-key-claimed': { registry: { id: string; name: string } };
  /** The host of the manifest has a certificate that it did not have before. */
  'certificate-changed': { host: string; before: EventCertificate; after: EventCertificate };
  /** The organization set, changed or removed the policy of its subscription. */
  'policy-changed': {
    before: PolicyDocument | null;
    after: PolicyDocument | null;
    /** The number of versions that are held back from now on, and of those that are offered from now on. */
    hidden: number;
    appearing: number;
  };
}

export type CheckOutcome = 'good' | 'problems' | 'failing' | 'unfinished';

/** One event, before it has an id. */
export type NewEvent = {
  [Type in EventType]: { type: Type; app: string | null; version: string | null; data: EventData[Type] };
}[EventType];

/** An event that is to be recorded: what happened, when, and to which registry. */
export type EventToRecord = NewEvent & {
  registryId: number;
  /** The subscription, if the event is about a single one. */
  subscriptionId?: string;
  at: Date;
};

export type RecordedEvent = EventToRecord & { id: string };

/** An event, as subscribers see it. */
export type EventView = NewEvent & {
  id: string;
  /** ISO 8601. */
  time: string;
  /** The subscription. */
  registry: { id: string; name: string };
  /** For people (event-view.ts). */
  message: string;
};

/** An event about a registry or an app as a whole. */
export function registryEvent<Type extends EventType>(
  type: Type,
  data: EventData[Type],
): { type: Type; app: null; version: null; data: EventData[Type] } {
  return { type, app: null, version: null, data };
}
