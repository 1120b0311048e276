import { EVENT_TYPES, type EventData, type EventType } from './events.ts';
import { retirementReason } from '../about/schema.ts';
import { policySchema } from '../policies/schema.ts';
import {
  type OpenApiObject,
  NOT_FOUND,
  pageResponses,
  forOrganization,
  parameter,
  type Schema,
  text,
  count,
  flag,
  dateTime,
  id,
  orNull,
  nullable,
  list,
  ref,
  strictObject,
  withDescription,
  next,
  ID,
  PAGE,
  IF_NONE_MATCH,
} from '../http/openapi.ts';

/** The schemas of events: one for each type. */

const rule = withDescription(text, 'Id of the violated rule.');
const checksum = withDescription(text, 'The pinned digest; the listed one if none is pinned yet.');

const certificate = strictObject('A certificate.', {
  fingerprint256: withDescription(text, 'SHA-256 of the certificate.'),
  subject: text,
  issuer: text,
  notAfter: dateTime,
});

/** The fields of `data`, by type. */
const DATA: { readonly [Type in EventType]: [description: string, fields: Record<keyof EventData[Type], Schema>] } = {
  subscribed: [
    'The organization subscribed to the registry. This is its first event.',
    { official: withDescription(flag, 'True if the organization was subscribed at its creation.') },
  ],
  checked: [
    'A check finished. It is recorded if something changed, and otherwise once a day.',
    {
      outcome: {
        enum: ['good', 'problems', 'failing', 'unfinished'],
        description:
          'good: without errors. problems: with errors. failing: the manifest cannot be used. unfinished: the check continues soon.',
      },
      seconds: withDescription({ type: 'number', minimum: 0 }, 'Duration of the check.'),
      errors: count,
      warnings: count,
      apps: withDescription(count, 'Apps that were checked.'),
      changes: {
        description: 'The number of other events that this check recorded, by type.',
        type: 'object',
        propertyNames: { enum: EVENT_TYPES },
        additionalProperties: count,
      },
    },
  ],
  failing: ['The manifest can no longer be used; the last known state remains valid.', { rule: orNull(rule) }],
  recovered: ['The manifest can be used again.', { failingSince: dateTime }],
  'version-listed': [
    'A version is listed for the first time, or with another digest.',
    { checksum, artifactUrl: text },
  ],
  'version-verified': [
    'The artifact of a version matched its digest for the first time: it is offered, and the digest is pinned.',
    { checksum, bytes: orNull(count) },
  ],
  'version-refused': [
    'A version, or its replacement, is not offered.',
    {
      rule,
      checksum,
      listed: withDescription(orNull(text), 'The listed digest, if it is not the pinned one.'),
      served: withDescription(orNull(text), 'The digest of the served bytes, if it differs.'),
      offered: withDescription(flag, 'Whether the version is still offered, with the pinned digest.'),
    },
  ],
  'version-withdrawn': [
    'A version is no longer listed.',
    {
      checksum,
      wasVerified: withDescription(flag, 'If true, its digest remains pinned in case the version is listed again.'),
    },
  ],
  'version-restored': ['A version is offered again, with the pinned digest.', { checksum }],
  'version-held': [
    'The organization requires attestations, and a version has no valid one: it is not offered.',
    {
      checksum,
      rule: withDescription(orNull(rule), 'Why; null if its attestation is not known yet.'),
      cause: orNull(text),
    },
  ],
  'version-attested': [
    'A version has the attestation that the organization requires: it is offered.',
    {
      checksum,
      issuer: orNull(text),
      identity: orNull(text),
      repository: orNull(text),
      commit: orNull(text),
      key: withDescription(orNull(text), 'The SHA-256 of the public key, for a signature by a key.'),
    },
  ],
  'version-deprecated': [
    'The author retired a version, or says something else about that. The version stays offered.',
    {
      reason: retirementReason,
      message: withDescription(text, 'What the author says about it.'),
      use: withDescription(orNull(text), 'The version that the author names in its place.'),
      since: withDescription(orNull(text), 'A date, such as 2026-01-31, as the author says.'),
    },
  ],
  'version-undeprecated': [
    'The author no longer retires a version.',
    { reason: withDescription(retirementReason, 'Why it had been retired.') },
  ],
  'app-listed': ['An app is listed for the first time, or again.', { name: text }],
  'app-hidden': [
    'An app cannot be installed.',
    { reasons: withDescription(list(text), 'Codes, as in the “reasons” of the app.') },
  ],
  'app-shown': [
    'An app that was hidden can be installed.',
    { latest: withDescription(text, 'The highest version that is offered.') },
  ],
  'app-key-claimed': [
    'A registry lists an app whose key another registry of the organization lists already. Neither replaces the other.',
    { registry: strictObject('The registry that listed it first.', { id, name: text }) },
  ],
  'certificate-changed': [
    'The host of the manifest has a different certificate than before.',
    { host: text, before: certificate, after: certificate },
  ],
  'policy-changed': [
    'The organization set, changed or removed the policy of the registry.',
    {
      before: withDescription(nullable(policySchema), 'Null if there was none.'),
      after: withDescription(nullable(policySchema), 'Null if it was removed.'),
      hidden: withDescription(count, 'Versions that are held back from now on.'),
      appearing: withDescription(count, 'Versions that are offered from now on.'),
    },
  ],
};

const name = { app: withDescription(text, 'App key.'), version: text };

/** Types of events about a version, and about an app. */
const OF_VERSION = /^version-/;
const OF_APP = /^(?:app|version)-/;

function eventSchema(type: EventType): Schema {
  const [description, fields] = DATA[type];
  return strictObject(description, {
    id,
    time: dateTime,
    type: { const: type },
    registry: strictObject('The subscription.', { id, name: text }),
    app: OF_APP.test(type) ? name.app : { type: 'null' },
    version: OF_VERSION.test(type) ? name.version : { type: 'null' },
    message: withDescription(text, 'A sentence for people. Programs use the other fields.'),
    data: strictObject('What changed.', fields),
  });
}

export const eventSchemas: Record<string, Schema> = {
  Event: {
    description: 'Something that happened to a registry or its apps. New types and fields of “data” may be added.',
    oneOf: EVENT_TYPES.map(eventSchema),
  },
  Events: strictObject('A page of events, newest first.', { events: list(ref('Event')), next }),
};

const APP = parameter('app', 'query', 'Only events of the app with this key.', { type: 'string' });
const TYPE = parameter('type', 'query', 'Only events of this type.', { enum: EVENT_TYPES });

/** The history of registries. */
export const eventsPaths: Record<string, OpenApiObject> = {
  '/api/events': {
    get: forOrganization('listEvents', 'The events of all registries of the organization', pageResponses('Events'), {
      parameters: [APP, TYPE, ...PAGE, IF_NONE_MATCH],
    }),
  },
  '/api/registries/{id}/events': {
    parameters: [ID],
    get: forOrganization(
      'listRegistryEvents',
      'The events of a registry since the subscription',
      { ...pageResponses('Events'), ...NOT_FOUND },
      { parameters: [APP, TYPE, ...PAGE, IF_NONE_MATCH] },
    ),
  },
};
