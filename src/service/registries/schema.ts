import { LONGEST_CREDENTIAL, LONGEST_HEADER_NAME } from './credentials.ts';
import { SYMPTOMS } from '../../core/findings/report.ts';
import { LONGEST_URL } from '../http/fields.ts';
import * as api from '../http/openapi.ts';

/** The schemas of subscriptions, and their part of the API. */

const AUTH_TYPE = api.choice(['bearer', 'basic', 'header']);
const secret: api.Schema = { type: 'string', maxLength: LONGEST_CREDENTIAL, writeOnly: true };

const progress = api.strictObject('Progress of the running check.', {
  apps: api.strictObject('Apps in the manifest, and how many of their metadata files were read.', {
    total: api.count,
    read: api.count,
  }),
  artifacts: api.strictObject('Artifacts found so far, and how many of them are verified.', {
    total: api.count,
    verified: api.count,
  }),
});
export type CheckProgress = api.ValueOf<typeof progress>;

const registry = api.strictObject(
  'A registry that the organization is subscribed to. Secrets in its URL are not shown.',
  {
    id: api.id,
    url: api.text,
    name: api.text,
    official: api.withDescription(api.flag, 'Every organization is subscribed to it at creation.'),
    createdAt: api.dateTime,
    auth: api.nullable(
      api.strictObject('Its credentials, which are never shown.', { type: AUTH_TYPE, changedAt: api.dateTime }),
    ),
    state: api.withDescription(
      api.choice(['new', 'checking', 'good', 'problems', 'failing', 'unauthorized']),
      'new: never checked yet, and no check is running. checking: the first check is running or about to start. The others are the result of the last check, also while a check is running. good: without errors. problems: it could be read, with errors. failing: the manifest cannot be used; the last known state remains valid. unauthorized: the same, because the host refused the credentials.',
    ),
    checking: api.withDescription(
      api.flag,
      'Whether a check is running, or one that the organization requested is about to start.',
    ),
    progress: api.nullable(progress),
    checkedAt: api.withDescription(
      api.orNull(api.dateTime),
      'The last check. Times of a registry from before the subscription are given as the time of the subscription.',
    ),
    goodAt: api.withDescription(api.orNull(api.dateTime), 'The last check with a usable manifest.'),
    failingSince: api.orNull(api.dateTime),
    nextCheckAt: api.withDescription(
      api.dateTime,
      'When the registry is checked again. Until the first check since the subscription, it is counted from the time of the subscription; the check may be earlier.',
    ),
    errors: api.count,
    warnings: api.count,
    symptoms: api.list(
      api.strictObject('One of the four symptoms of a registry that does not work.', {
        id: api.choice(SYMPTOMS),
        status: api.choice(['clear', 'suspected', 'confirmed', 'not-judged']),
        rules: api.list(api.text),
      }),
    ),
    apps: api.withDescription(api.count, 'Apps in the manifest.'),
    visible: api.withDescription(api.count, 'Apps that can be installed.'),
  },
);
export type SubscriptionView = api.ValueOf<typeof registry>;

export const registrySchemas: Record<string, api.Schema> = {
  Registry: registry,
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
  Registries: api.strictObject('A page of registries, the official ones first, then in order of subscription.', {
    registries: api.list(api.ref('Registry')),
    next: api.next,
  }),
  Subscribed: api.strictObject('A new subscription, with its first apps.', {
    subscription: api.ref('Registry'),
    apps: api.list(api.ref('App')),
    next: api.next,
  }),
  Refresh: api.strictObject('The result of the request.', {
    requested: api.withDescription(
      api.flag,
      'False if the organization had already requested a check that has not started yet.',
    ),
    registry: api.ref('Registry'),
  }),
};

const URL_FIELD = {
  type: 'string',
  maxLength: LONGEST_URL,
  description: 'URL of the registry manifest.',
  examples: ['https://apps.example.com/registry.json'],
};

/** Subscriptions to registries. */
export const registriesPaths: Record<string, api.OpenApiObject> = {
  '/api/registries/subscribe': {
    post: api.forOrganization(
      'subscribe',
      'Subscribe to a registry',
      {
        201: api.response('Subscribed.', 'Subscribed', 'application/json', ['Location']),
        202: api.response(
          'Subscribed, but the registry did not respond within two seconds: it is being checked. If it cannot be used, the subscription is kept with the state “failing”.',
          'Subscribed',
          'application/json',
          ['Location'],
        ),
        ...api.BAD_BODY,
        409: api.refusal('Already subscribed (type …:already-subscribed), or too many subscriptions.'),
        422: api.refusal(
          'The registry cannot be used, or refuses the credentials; “findings” gives the reasons. Nothing is stored.',
        ),
        ...api.NO_CREDENTIALS,
      },
      api.body({ url: URL_FIELD, name: api.ref('Name') }, { auth: api.ref('Auth') }),
    ),
  },
  '/api/registries': {
    get: api.forOrganization('listRegistries', 'The registries of the organization', api.pageResponses('Registries'), {
      parameters: [...api.PAGE, api.IF_NONE_MATCH],
    }),
  },
  '/api/registries/{id}': {
    parameters: [api.ID],
    get: api.forOrganization('getRegistry', 'One registry, with its state', {
      200: api.response('The registry.', 'Registry'),
      ...api.NOT_FOUND,
    }),
    patch: api.forOrganization(
      'renameRegistry',
      'Rename a registry',
      { 200: api.response('The registry.', 'Registry'), ...api.BAD_BODY, ...api.NOT_FOUND },
      api.body({ name: api.ref('Name') }),
    ),
    delete: api.forOrganization('unsubscribe', 'Unsubscribe from a registry', {
      204: { description: 'Unsubscribed.' },
      ...api.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/auth': {
    parameters: [api.ID],
    put: api.forOrganization(
      'setAuth',
      'Set or replace the credentials of a registry, which is no longer shared with other organizations',
      {
        200: api.response(
          'The registry, without the credentials. It is checked with them soon afterwards.',
          'Registry',
        ),
        ...api.BAD_BODY,
        ...api.NOT_FOUND,
        ...api.NO_CREDENTIALS,
      },
      api.bodyOf(api.ref('Auth')),
    ),
    delete: api.forOrganization('removeAuth', 'Remove the credentials of a registry', {
      204: { description: 'The registry no longer has credentials.' },
      ...api.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/refresh': {
    parameters: [api.ID],
    post: api.forOrganization('refreshRegistry', 'Check a registry now', {
      202: api.response(
        'It is checked now, or five seconds after its last check: its documents and all listed artifacts.',
        'Refresh',
      ),
      ...api.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/report': {
    parameters: [api.ID],
    get: api.forOrganization(
      'getReport',
      'The report of the last check',
      {
        200: api.response('The report.', 'Report', 'application/json', ['ETag']),
        ...api.NOT_MODIFIED,
        ...api.NOT_FOUND,
      },
      { parameters: [api.IF_NONE_MATCH] },
    ),
  },
};
