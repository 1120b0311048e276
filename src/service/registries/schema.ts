import { LONGEST_CREDENTIAL, LONGEST_HEADER_NAME } from './credentials.ts';
import { SYMPTOMS } from '../../core/engine/report.ts';
import { LONGEST_URL } from '../http/fields.ts';
import {
  type OpenApiObject,
  response,
  refusal,
  NOT_FOUND,
  BAD_BODY,
  pageResponses,
  NOT_MODIFIED,
  NO_CREDENTIALS,
  forOrganization,
  body,
  bodyOf,
  type Schema,
  type ValueOf,
  text,
  count,
  flag,
  dateTime,
  id,
  choice,
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

/** The schemas of subscriptions, and their part of the API. */

const AUTH_TYPE = choice(['bearer', 'basic', 'header']);
const secret: Schema = { type: 'string', maxLength: LONGEST_CREDENTIAL, writeOnly: true };

const progress = strictObject('Progress of the running check.', {
  apps: strictObject('Apps in the manifest, and how many of their metadata files were read.', {
    total: count,
    read: count,
  }),
  artifacts: strictObject('Artifacts found so far, and how many of them are verified.', {
    total: count,
    verified: count,
  }),
});
export type CheckProgress = ValueOf<typeof progress>;

const registry = strictObject('A registry that the organization is subscribed to. Secrets in its URL are not shown.', {
  id,
  url: text,
  name: text,
  official: withDescription(flag, 'Every organization is subscribed to it at creation.'),
  createdAt: dateTime,
  auth: nullable(strictObject('Its credentials, which are never shown.', { type: AUTH_TYPE, changedAt: dateTime })),
  state: withDescription(
    choice(['new', 'checking', 'good', 'problems', 'failing', 'unauthorized']),
    'new: never checked yet, and no check is running. checking: the first check is running or about to start. The others are the result of the last check, also while a check is running. good: without errors. problems: it could be read, with errors. failing: the manifest cannot be used; the last known state remains valid. unauthorized: the same, because the host refused the credentials.',
  ),
  checking: withDescription(
    flag,
    'Whether a check is running, or one that the organization requested is about to start.',
  ),
  progress: nullable(progress),
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
      id: choice(SYMPTOMS),
      status: choice(['clear', 'suspected', 'confirmed', 'not-judged']),
      rules: list(text),
    }),
  ),
  apps: withDescription(count, 'Apps in the manifest.'),
  visible: withDescription(count, 'Apps that can be installed.'),
});
export type SubscriptionView = ValueOf<typeof registry>;

export const registrySchemas: Record<string, Schema> = {
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
};

const URL_FIELD = {
  type: 'string',
  maxLength: LONGEST_URL,
  description: 'URL of the registry manifest.',
  examples: ['https://apps.example.com/registry.json'],
};

/** Subscriptions to registries. */
export const registriesPaths: Record<string, OpenApiObject> = {
  '/api/registries/subscribe': {
    post: forOrganization(
      'subscribe',
      'Subscribe to a registry',
      {
        201: response('Subscribed.', 'Subscribed', 'application/json', ['Location']),
        202: response(
          'Subscribed, but the registry did not respond within two seconds: it is being checked. If it cannot be used, the subscription is kept with the state “failing”.',
          'Subscribed',
          'application/json',
          ['Location'],
        ),
        ...BAD_BODY,
        409: refusal('Already subscribed (type …:already-subscribed), or too many subscriptions.'),
        422: refusal(
          'The registry cannot be used, or refuses the credentials; “findings” gives the reasons. Nothing is stored.',
        ),
        ...NO_CREDENTIALS,
      },
      body({ url: URL_FIELD, name: ref('Name') }, { auth: ref('Auth') }),
    ),
  },
  '/api/registries': {
    get: forOrganization('listRegistries', 'The registries of the organization', pageResponses('Registries'), {
      parameters: [...PAGE, IF_NONE_MATCH],
    }),
  },
  '/api/registries/{id}': {
    parameters: [ID],
    get: forOrganization('getRegistry', 'One registry, with its state', {
      200: response('The registry.', 'Registry'),
      ...NOT_FOUND,
    }),
    patch: forOrganization(
      'renameRegistry',
      'Rename a registry',
      { 200: response('The registry.', 'Registry'), ...BAD_BODY, ...NOT_FOUND },
      body({ name: ref('Name') }),
    ),
    delete: forOrganization('unsubscribe', 'Unsubscribe from a registry', {
      204: { description: 'Unsubscribed.' },
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/auth': {
    parameters: [ID],
    put: forOrganization(
      'setAuth',
      'Set or replace the credentials of a registry, which is no longer shared with other organizations',
      {
        200: response('The registry, without the credentials. It is checked with them soon afterwards.', 'Registry'),
        ...BAD_BODY,
        ...NOT_FOUND,
        ...NO_CREDENTIALS,
      },
      bodyOf(ref('Auth')),
    ),
    delete: forOrganization('removeAuth', 'Remove the credentials of a registry', {
      204: { description: 'The registry no longer has credentials.' },
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/refresh': {
    parameters: [ID],
    post: forOrganization('refreshRegistry', 'Check a registry now', {
      202: response(
        'It is checked now, or five seconds after its last check: its documents and all listed artifacts.',
        'Refresh',
      ),
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/report': {
    parameters: [ID],
    get: forOrganization(
      'getReport',
      'The report of the last check',
      { 200: response('The report.', 'Report', 'application/json', ['ETag']), ...NOT_MODIFIED, ...NOT_FOUND },
      { parameters: [IF_NONE_MATCH] },
    ),
  },
};
