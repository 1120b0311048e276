import { retirementReason } from '../about/schema.ts';
import * as api from '../http/openapi.ts';
import { policySchema } from '../policies/schema.ts';

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

const rule = api.withDescription(api.text, 'Id of the violated rule.');
const checksum = api.withDescription(api.text, 'The pinned digest; the listed one if none is pinned yet.');

const certificate = api.strictObject('A certificate.', {
  fingerprint256: api.withDescription(api.text, 'SHA-256 of the certificate.'),
  subject: api.text,
  issuer: api.text,
  notAfter: api.dateTime,
});
/** A certificate of a host, as far as subscribers compare it. */
export type EventCertificate = api.ValueOf<typeof certificate>;

const outcome = api.withDescription(
  api.choice(['good', 'problems', 'failing', 'unfinished']),
  'good: without errors. problems: with errors. failing: the manifest cannot be used. unfinished: the check continues soon.',
);
export type CheckOutcome = api.ValueOf<typeof outcome>;

/** What changed, by the type of the event: a description of the type, and the fields of its `data`. */
export const EVENTS = {
  subscribed: [
    'The organization subscribed to the registry. This is its first event.',
    { official: api.withDescription(api.flag, 'True if the organization was subscribed at its creation.') },
  ],
  checked: [
    'A check finished. It is recorded if something changed, and otherwise once a day.',
    {
      outcome,
      seconds: api.withDescription(api.schemaOf<number>({ type: 'number', minimum: 0 }), 'Duration of the check.'),
      errors: api.count,
      warnings: api.count,
      apps: api.withDescription(api.count, 'Apps that were checked.'),
      changes: api.schemaOf<Partial<Record<EventType, number>>>({
        description: 'The number of other events that this check recorded, by type.',
        type: 'object',
        propertyNames: { enum: EVENT_TYPES },
        additionalProperties: api.count,
      }),
    },
  ],
  failing: ['The manifest can no longer be used; the last known state remains valid.', { rule: api.orNull(rule) }],
  recovered: ['The manifest can be used again.', { failingSince: api.dateTime }],
  'version-listed': [
    'A version is listed for the first time, or with another digest.',
    { checksum, artifactUrl: api.text },
  ],
  'version-verified': [
    'The artifact of a version matched its digest for the first time: it is offered, and the digest is pinned.',
    { checksum, bytes: api.orNull(api.count) },
  ],
  'version-refused': [
    'A version, or its replacement, is not offered.',
    {
      rule,
      checksum,
      listed: api.withDescription(api.orNull(api.text), 'The listed digest, if it is not the pinned one.'),
      served: api.withDescription(api.orNull(api.text), 'The digest of the served bytes, if it differs.'),
      offered: api.withDescription(api.flag, 'Whether the version is still offered, with the pinned digest.'),
    },
  ],
  'version-withdrawn': [
    'A version is no longer listed.',
    {
      checksum,
      wasVerified: api.withDescription(
        api.flag,
        'If true, its digest remains pinned in case the version is listed again.',
      ),
    },
  ],
  'version-restored': ['A version is offered again, with the pinned digest.', { checksum }],
  'version-held': [
    'The organization requires attestations, and a version has no valid one: it is not offered.',
    {
      checksum,
      rule: api.withDescription(api.orNull(rule), 'Why; null if its attestation is not known yet.'),
      cause: api.orNull(api.text),
    },
  ],
  'version-attested': [
    'A version has the attestation that the organization requires: it is offered.',
    {
      checksum,
      issuer: api.orNull(api.text),
      identity: api.orNull(api.text),
      repository: api.orNull(api.text),
      commit: api.orNull(api.text),
      key: api.withDescription(api.orNull(api.text), 'The SHA-256 of the public key, for a signature by a key.'),
    },
  ],
  'version-deprecated': [
    'The author retired a version, or says something else about that. The version stays offered.',
    {
      reason: retirementReason,
      message: api.withDescription(api.text, 'What the author says about it.'),
      use: api.withDescription(api.orNull(api.text), 'The version that the author names in its place.'),
      since: api.withDescription(api.orNull(api.text), 'A date, such as 2026-01-31, as the author says.'),
    },
  ],
  'version-undeprecated': [
    'The author no longer retires a version.',
    { reason: api.withDescription(retirementReason, 'Why it had been retired.') },
  ],
  'app-listed': ['An app is listed for the first time, or again.', { name: api.text }],
  'app-hidden': [
    'An app cannot be installed.',
    { reasons: api.withDescription(api.list(api.text), 'Codes, as in the “reasons” of the app.') },
  ],
  'app-shown': [
    'An app that was hidden can be installed.',
    { latest: api.withDescription(api.text, 'The highest version that is offered.') },
  ],
  'app-key-claimed': [
    'A registry lists an app whose key another registry of the organization lists already. Neither replaces the other.',
    { registry: api.strictObject('The registry that listed it first.', { id: api.id, name: api.text }) },
  ],
  'certificate-changed': [
    'The host of the manifest has a different certificate than before.',
    { host: api.text, before: certificate, after: certificate },
  ],
  'policy-changed': [
    'The organization set, changed or removed the policy of the registry.',
    {
      before: api.withDescription(api.nullable(policySchema), 'Null if there was none.'),
      after: api.withDescription(api.nullable(policySchema), 'Null if it was removed.'),
      hidden: api.withDescription(api.count, 'Versions that are held back from now on.'),
      appearing: api.withDescription(api.count, 'Versions that are offered from now on.'),
    },
  ],
} as const satisfies Record<EventType, readonly [description: string, fields: Record<string, api.Schema>]>;

/** The data of events: typed values, no prose. Times are ISO 8601. */
export type EventData = { [Type in EventType]: api.ValuesOf<(typeof EVENTS)[Type][1]> };

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
