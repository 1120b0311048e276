import { EVENT_TYPES, type EventData, type EventType } from './events.ts';
import { retirementReason } from '../about/schema.ts';
import { policySchema } from '../policies/schema.ts';
import * as api from '../http/openapi.ts';

/** The schemas of events: one for each type. */

const rule = api.withDescription(api.text, 'Id of the violated rule.');
const checksum = api.withDescription(api.text, 'The pinned digest; the listed one if none is pinned yet.');

const certificate = api.strictObject('A certificate.', {
  fingerprint256: api.withDescription(api.text, 'SHA-256 of the certificate.'),
  subject: api.text,
  issuer: api.text,
  notAfter: api.dateTime,
});

/** The fields of `data`, by type. */
const DATA: { readonly [Type in EventType]: [description: string, fields: Record<keyof EventData[Type], api.Schema>] } =
  {
    subscribed: [
      'The organization subscribed to the registry. This is its first event.',
      { official: api.withDescription(api.flag, 'True if the organization was subscribed at its creation.') },
    ],
    checked: [
      'A check finished. It is recorded if something changed, and otherwise once a day.',
      {
        outcome: {
          enum: ['good', 'problems', 'failing', 'unfinished'],
          description:
            'good: without errors. problems: with errors. failing: the manifest cannot be used. unfinished: the check continues soon.',
        },
        seconds: api.withDescription({ type: 'number', minimum: 0 }, 'Duration of the check.'),
        errors: api.count,
        warnings: api.count,
        apps: api.withDescription(api.count, 'Apps that were checked.'),
        changes: {
          description: 'The number of other events that this check recorded, by type.',
          type: 'object',
          propertyNames: { enum: EVENT_TYPES },
          additionalProperties: api.count,
        },
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
  };

const name = { app: api.withDescription(api.text, 'App key.'), version: api.text };

/** Types of events about a version, and about an app. */
const OF_VERSION = /^version-/;
const OF_APP = /^(?:app|version)-/;

function eventSchema(type: EventType): api.Schema {
  const [description, fields] = DATA[type];
  return api.strictObject(description, {
    id: api.id,
    time: api.dateTime,
    type: { const: type },
    registry: api.strictObject('The subscription.', { id: api.id, name: api.text }),
    app: OF_APP.test(type) ? name.app : { type: 'null' },
    version: OF_VERSION.test(type) ? name.version : { type: 'null' },
    message: api.withDescription(api.text, 'A sentence for people. Programs use the other fields.'),
    data: api.strictObject('What changed.', fields),
  });
}

export const eventSchemas: Record<string, api.Schema> = {
  Event: {
    description: 'Something that happened to a registry or its apps. New types and fields of “data” may be added.',
    oneOf: EVENT_TYPES.map(eventSchema),
  },
  Events: api.strictObject('A page of events, newest first.', { events: api.list(api.ref('Event')), next: api.next }),
};

const APP = api.parameter('app', 'query', 'Only events of the app with this key.', { type: 'string' });
const TYPE = api.parameter('type', 'query', 'Only events of this type.', { enum: EVENT_TYPES });

/** The history of registries. */
export const eventsPaths: Record<string, api.OpenApiObject> = {
  '/api/events': {
    get: api.forOrganization(
      'listEvents',
      'The events of all registries of the organization',
      api.pageResponses('Events'),
      {
        parameters: [APP, TYPE, ...api.PAGE, api.IF_NONE_MATCH],
      },
    ),
  },
  '/api/registries/{id}/events': {
    parameters: [api.ID],
    get: api.forOrganization(
      'listRegistryEvents',
      'The events of a registry since the subscription',
      { ...api.pageResponses('Events'), ...api.NOT_FOUND },
      { parameters: [APP, TYPE, ...api.PAGE, api.IF_NONE_MATCH] },
    ),
  },
};
