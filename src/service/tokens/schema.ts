import { type Scope, SCOPES } from './scopes.ts';
import {
  type OpenApiObject,
  response,
  refusal,
  NOT_FOUND,
  BAD_BODY,
  pageResponses,
  forOrganization,
  requiresScope,
  body,
  parameter,
  type Schema,
  type ValueOf,
  text,
  dateTime,
  id,
  orNull,
  list,
  ref,
  strictObject,
  withDescription,
  next,
  PAGE,
  IF_NONE_MATCH,
} from '../http/openapi.ts';

/** The schemas of tokens, and their part of the API. */

const token = {
  id,
  name: text,
  scope: ref<Scope>('Scope'),
  createdAt: dateTime,
  expiresAt: withDescription(orNull(dateTime), 'When the token expires; null if it never does.'),
  lastUsedAt: withDescription(orNull(dateTime), 'Accurate to a minute; null if the token was never used.'),
};

const tokenDetails = strictObject('A token, without its value.', token);
export type TokenView = ValueOf<typeof tokenDetails>;

export const tokenSchemas: Record<string, Schema> = {
  Scope: {
    enum: SCOPES,
    description:
      'read: everything about registries and apps. manage: also subscriptions, their credentials and checks, and webhooks. admin: also tokens and the audit log.',
  },
  FutureTime: { type: ['string', 'null'], format: 'date-time', description: 'At most ten years ahead.' },
  TokenDetails: tokenDetails,
  Tokens: strictObject('A page of tokens, in order of creation.', { tokens: list(ref('TokenDetails')), next }),
  NewToken: strictObject('A token, with its value, which is shown only once.', {
    ...token,
    token: { type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' },
  }),
};

const TOKEN = parameter('token', 'path', 'Id of the token.', id);
/** Tokens. */
export const tokensPaths: Record<string, OpenApiObject> = {
  '/api/tokens': {
    get: forOrganization('listTokens', 'The tokens of the organization', pageResponses('Tokens'), {
      ...requiresScope('admin'),
      parameters: [...PAGE, IF_NONE_MATCH],
    }),
    post: forOrganization(
      'createToken',
      'Create a token',
      { 201: response('The token.', 'NewToken'), ...BAD_BODY, 409: refusal('The organization has too many tokens.') },
      {
        ...requiresScope('admin'),
        ...body({ name: ref('Name'), scope: ref('Scope') }, { expiresAt: ref('FutureTime') }),
      },
    ),
  },
  '/api/tokens/{token}': {
    parameters: [TOKEN],
    delete: forOrganization(
      'deleteToken',
      'Delete a token and end its sessions',
      {
        204: { description: 'Deleted.' },
        ...NOT_FOUND,
        409: refusal('It is the last token with the scope admin.'),
      },
      requiresScope('admin'),
    ),
  },
};
