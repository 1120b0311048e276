import { LONGEST_CREDENTIAL, LONGEST_HEADER_NAME } from './registries/credentials.ts';
import { LONGEST_NAME } from './http/fields.ts';
import { SEVERITIES, SYMPTOMS } from '../core/engine/report.ts';
import { accessSchemas } from './tokens/schema.ts';
import { eventSchemas } from './history/schema.ts';
import { webhookSchemas } from './webhooks/schema.ts';
import {
  count,
  withDescription,
  flag,
  id,
  list,
  dateTime,
  next,
  orNull,
  ref,
  type Schema,
  sha256,
  text,
  strictObject,
} from './http/openapi.ts';

/** Schemas of the API's bodies, as JSON Schema 2020-12: the types of views.ts, problems, and request bodies. */

const AUTH_TYPE: Schema = { enum: ['bearer', 'basic', 'header'] };
const secret: Schema = { type: 'string', maxLength: LONGEST_CREDENTIAL, writeOnly: true };

const reasons = list(strictObject('A code for programs, and a sentence for people.', { code: text, message: text }));

const app = {
  key: text,
  name: text,
  description: text,
  color: withDescription(orNull({ type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }), 'Background color of its blocks.'),
  icon: withDescription(orNull(sha256), 'Digest of its icon, which is served at /api/icons/{sha256}.'),
  iconFragment: withDescription(
    text,
    'Fragment to append to that URL: the part of an SVG to show; empty for all of it.',
  ),
  visible: withDescription(
    { type: ['boolean', 'null'] },
    'Whether it can be installed; null while it is being checked.',
  ),
  reasons: withDescription(reasons, 'Why it cannot be installed, or cannot be installed yet.'),
  latest: withDescription(orNull(text), 'The highest version that is offered.'),
  offered: withDescription(count, 'Versions that are offered.'),
  versions: withDescription(count, 'All known versions, including refused, pending and withdrawn ones.'),
  failingSince: withDescription(
    orNull(dateTime),
    'Since when its metadata file cannot be used; the last known state remains valid.',
  ),
};

const NODE_STATE = {
  roles: list({ enum: ['web', 'worker'] }),
  database: {
    enum: ['available', 'unreachable', 'disk-full', 'read-only', 'disk-error', 'overloaded'],
    description: 'Whether the database responds and can be written; a ready node can.',
  },
};

export const schemas: Record<string, Schema> = {
  ...eventSchemas,
  ...accessSchemas,
  ...webhookSchemas,
  Name: { type: 'string', minLength: 1, maxLength: LONGEST_NAME, examples: ['Internal apps'] },
  Organization: strictObject('A subscriber.', {
    id,
    name: text,
    createdAt: dateTime,
    tokenSince: withDescription(dateTime, 'When the token got its current value.'),
  }),
  NewOrganization: strictObject('An organization, with its token.', {
    organization: ref('Organization'),
    token: withDescription(
      orNull({ type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' }),
      'Shown only once; null if the request was repeated.',
    ),
  }),
  Token: strictObject('The new value of a token, which is shown only once. The previous value is no longer valid.', {
    token: { type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' },
  }),
  Registry: strictObject('A registry that the organization is subscribed to. Secrets in its URL are not shown.', {
    id,
    url: text,
    name: text,
    official: withDescription(flag, 'Every organization is subscribed to it at creation.'),
    createdAt: dateTime,
    auth: {
      anyOf: [
        strictObject('Its credentials, which are never shown.', { type: AUTH_TYPE, changedAt: dateTime }),
        { type: 'null' },
      ],
    },
    state: {
      enum: ['new', 'checking', 'good', 'problems', 'failing', 'unauthorized'],
      description:
        'new: never checked yet, and no check is running. checking: the first check is running or about to start. The others are the result of the last check, also while a check is running. good: without errors. problems: it could be read, with errors. failing: the manifest cannot be used; the last known state remains valid. unauthorized: the same, because the host refused the credentials.',
    },
    checking: withDescription(
      flag,
      'Whether a check is running, or one that the organization requested is about to start.',
    ),
    progress: {
      anyOf: [
        strictObject('Progress of the running check.', {
          apps: strictObject('Apps in the manifest, and how many of their metadata files were read.', {
            total: count,
            read: count,
          }),
          artifacts: strictObject('Artifacts found so far, and how many of them are verified.', {
            total: count,
            verified: count,
          }),
        }),
        { type: 'null' },
      ],
    },
    checkedAt: withDescription(
      orNull(dateTime),
      'The last check. Times of a registry from before the subscription are given as the time of the subscription.',
    ),
    goodAt: withDescription(orNull(dateTime), 'The last check with a usable manifest.'),
    failingSince: orNull(dateTime),
    nextCheckAt: withDescription(
      dateTime,
      'When the registry is checked again. Until the first check since the subscription, it is counted from the time of the subscription; the check may be earlier.',
    ),
    errors: count,
    warnings: count,
    symptoms: list(
      strictObject('One of the four symptoms of a registry that does not work.', {
        id: { enum: SYMPTOMS },
        status: { enum: ['clear', 'suspected', 'confirmed', 'not-judged'] },
        rules: list(text),
      }),
    ),
    apps: withDescription(count, 'Apps in the manifest.'),
    visible: withDescription(count, 'Apps that can be installed.'),
  }),
  Auth: {
    description:
      'Credentials of a private registry: { type: bearer, token }, { type: basic, username, password } or { type: header, name, value }. They are write-only, and only sent to the origin of the registry.',
    type: 'object',
    required: ['type'],
    properties: {
      type: AUTH_TYPE,
      token: secret,
      username: { type: 'string', maxLength: LONGEST_CREDENTIAL },
      password: secret,
      name: { type: 'string', maxLength: LONGEST_HEADER_NAME, description: 'Name of the header, such as X-Api-Key.' },
      value: secret,
    },
  },
  Registries: strictObject('A page of registries, the official ones first, then in order of subscription.', {
    registries: list(ref('Registry')),
    next,
  }),
  Subscribed: strictObject('A new subscription, with its first apps.', {
    subscription: ref('Registry'),
    apps: list(ref('App')),
    next,
  }),
  Refresh: strictObject('The result of the request.', {
    requested: withDescription(
      flag,
      'False if the organization had already requested a check that has not started yet.',
    ),
    registry: ref('Registry'),
  }),
  App: strictObject('An app of a registry.', app),
  Apps: strictObject('A page of apps, by key.', { apps: list(ref('App')), next }),
  InstallableApps: strictObject('A page of apps, by key, with the registry that offers each.', {
    apps: list(
      strictObject('An app that can be installed.', {
        ...app,
        registry: strictObject('The registry that offers it.', { id, name: text }),
      }),
    ),
    next,
  }),
  Versions: strictObject('A page of versions, highest first.', {
    versions: list(
      strictObject('A version. The digest is pinned once the artifact matched it.', {
        version: text,
        artifactUrl: text,
        artifactChecksum: text,
        firstSeenAt: withDescription(dateTime, 'When it was first listed, or the subscription if that is later.'),
        state: { enum: ['pending', 'verified', 'refused', 'withdrawn'] },
        offered: flag,
        reason: { anyOf: [strictObject('Why it is refused.', { rule: text, message: text }), { type: 'null' }] },
        verifiedAt: orNull(dateTime),
        bytes: orNull(count),
        swappedChecksum: withDescription(orNull(text), 'The digest that is listed now, if it differs.'),
        servedChecksum: withDescription(
          orNull(text),
          'The digest of the bytes that the host served last, if it differs.',
        ),
        withdrawnAt: orNull(dateTime),
        lostAt: withDescription(
          orNull(dateTime),
          'When its host was first found to lack the artifact. The service offers its own copy; a version without any copy is refused.',
        ),
      }),
    ),
    next,
  }),
  Finding: {
    description: 'One violation of a rule.',
    type: 'object',
    required: ['rule', 'severity', 'symptom', 'message', 'advice', 'app', 'version', 'resource', 'url'],
    properties: { rule: text, severity: { enum: SEVERITIES }, message: text, advice: text },
  },
  Report: {
    description: 'The report of the last check, as of `appreg verify --format json`.',
    type: 'object',
    required: ['schema', 'tool', 'target', 'outcome', 'summary', 'symptoms', 'apps', 'findings', 'notJudged'],
    properties: { schema: { const: 1 }, findings: list(ref('Finding')) },
  },
  Problem: {
    description: 'Why a request was refused (RFC 9457).',
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'requestId'],
    properties: {
      type: { type: 'string', pattern: '^urn:appreg:problem:[a-z-]+$' },
      title: text,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: text,
      requestId: withDescription(text, 'The id of the request in the logs of the service.'),
      errors: withDescription(
        list({
          type: 'object',
          required: ['field', 'detail'],
          properties: {
            field: withDescription(text, 'The name of a field of the body, or of a parameter.'),
            pointer: withDescription(text, 'RFC 6901; only for a field of the body.'),
            detail: withDescription(text, 'What is wrong, what is allowed, and the value unless it may be a secret.'),
          },
        }),
        'All invalid fields or parameters of the request.',
      ),
      findings: withDescription(list(ref('Finding')), 'Why a registry cannot be used.'),
      subscription: withDescription(ref('Registry'), 'The existing subscription.'),
    },
    additionalProperties: false,
  },
  Health: strictObject('The state of the node.', {
    status: { const: 'ok' },
    ...NODE_STATE,
    artifacts: {
      enum: ['none', 'unknown', 'available', 'last-copies-at-risk', 'full'],
      description:
        'The store of artifacts. `last-copies-at-risk`: an organization has more artifacts that their hosts no longer have than its share. `full`: such artifacts leave no room for others.',
    },
  }),
  Status: strictObject('The state of the node.', { status: { const: 'ready' }, ...NODE_STATE }),
};
