import { type Scope, SCOPES } from './scopes.ts';
import * as api from '../http/openapi.ts';

/** The schemas of tokens, and their part of the API. */

const token = {
  id: api.id,
  name: api.text,
  scope: api.ref<Scope>('Scope'),
  createdAt: api.dateTime,
  expiresAt: api.withDescription(api.orNull(api.dateTime), 'When the token expires; null if it never does.'),
  lastUsedAt: api.withDescription(api.orNull(api.dateTime), 'Accurate to a minute; null if the token was never used.'),
};

const tokenDetails = api.strictObject('A token, without its value.', token);
export type TokenView = api.ValueOf<typeof tokenDetails>;

export const tokenSchemas: Record<string, api.Schema> = {
  Scope: {
    enum: SCOPES,
    description:
      'read: everything about registries and apps. manage: also subscriptions, their credentials and checks, and webhooks. admin: also tokens and the audit log.',
  },
  FutureTime: { type: ['string', 'null'], format: 'date-time', description: 'At most ten years ahead.' },
  TokenDetails: tokenDetails,
  Tokens: api.strictObject('A page of tokens, in order of creation.', {
    tokens: api.list(api.ref('TokenDetails')),
    next: api.next,
  }),
  NewToken: api.strictObject('A token, with its value, which is shown only once.', {
    ...token,
    token: { type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' },
  }),
};

const TOKEN = api.parameter('token', 'path', 'Id of the token.', api.id);
/** Tokens. */
export const tokensPaths: Record<string, api.OpenApiObject> = {
  '/api/tokens': {
    get: api.forOrganization('listTokens', 'The tokens of the organization', api.pageResponses('Tokens'), {
      ...api.requiresScope('admin'),
      parameters: [...api.PAGE, api.IF_NONE_MATCH],
    }),
    post: api.forOrganization(
      'createToken',
      'Create a token',
      {
        201: api.response('The token.', 'NewToken'),
        ...api.BAD_BODY,
        409: api.refusal('The organization has too many tokens.'),
      },
      {
        ...api.requiresScope('admin'),
        ...api.body({ name: api.ref('Name'), scope: api.ref('Scope') }, { expiresAt: api.ref('FutureTime') }),
      },
    ),
  },
  '/api/tokens/{token}': {
    parameters: [TOKEN],
    delete: api.forOrganization(
      'deleteToken',
      'Delete a token and end its sessions',
      {
        204: { description: 'Deleted.' },
        ...api.NOT_FOUND,
        409: api.refusal('It is the last token with the scope admin.'),
      },
      api.requiresScope('admin'),
    ),
  },
};
