import type { JsonObject } from 'appreg';
import { type Service } from '../context.ts';
import { type Route, organizationRoute, type WebContext } from '../http/routes.ts';
import { taggedJson } from '../http/conditions.ts';
import { listTokens, type NewToken } from '../db/tokens.ts';
import { queryIn, ID_PAGE_QUERY, pathParameter } from '../http/query.ts';
import { addToken, TOO_MANY_TOKENS, deleteToken } from '../actions/tokens.ts';
import { readBody, fieldsIn } from '../http/body.ts';
import { Refusal, json, NotFound } from '../http/problems.ts';
import { type Caller } from '../http/auth.ts';
import * as shape from '../domain/shape.ts';
import { SCOPES } from '../domain/scopes.ts';
import { tokenDetails, token } from '../domain/tokens.ts';
import * as openapi from '../http/operations.ts';
import { textField, nameError, choiceField, nullable, futureField } from '../domain/fields.ts';

/** The tokens of an organization. */
export function tokenRoutes(service: Service): Route[] {
  return [
    organizationRoute('GET', '/api/tokens', 'admin', async (c, { id }) =>
      taggedJson(c, await listTokens(service.db, id, queryIn(c, ID_PAGE_QUERY))),
    ),
    organizationRoute('POST', '/api/tokens', 'admin', async (c, { id, actor }) => {
      const created = await addToken(service, id, newTokenIn(await readBody(c)), actor);
      if (created === null) throw new Refusal('too-many-tokens', TOO_MANY_TOKENS);
      return json(c, { ...created.token, token: created.secret }, 201);
    }),
    organizationRoute('DELETE', '/api/tokens/{token}', 'admin', (c, caller) =>
      deleteRequestedToken(c, service, caller),
    ),
  ];
}

async function deleteRequestedToken(c: WebContext, service: Service, { id, actor }: Caller): Promise<Response> {
  const outcome = await deleteToken(service, id, pathParameter(c, 'token'), actor);
  if (outcome === 'missing') throw new NotFound('token');
  if (outcome === 'last-admin')
    throw new Refusal(
      'last-admin-token',
      'It is the last token with the scope “admin”. Create another one with that scope first.',
    );
  return c.body(null, 204);
}

export const tokenSchemas: Record<string, shape.Schema> = {
  Scope: {
    enum: SCOPES,
    description:
      'read: everything about registries and apps. manage: also subscriptions, their credentials and checks, and webhooks. admin: also tokens and the audit log.',
  },
  FutureTime: { type: ['string', 'null'], format: 'date-time', description: 'At most ten years ahead.' },
  TokenDetails: tokenDetails,
  Tokens: shape.strictObject('A page of tokens, in order of creation.', {
    tokens: shape.list(shape.ref('TokenDetails')),
    next: shape.next,
  }),
  NewToken: shape.strictObject('A token, with its value, which is shown only once.', {
    ...token,
    token: { type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' },
  }),
};

const TOKEN = openapi.parameter('token', 'path', 'Id of the token.', shape.id);
export const tokensPaths: Record<string, openapi.OpenApiObject> = {
  '/api/tokens': {
    get: openapi.forOrganization('listTokens', 'The tokens of the organization', openapi.pageResponses('Tokens'), {
      ...openapi.requiresScope('admin'),
      parameters: [...openapi.PAGE, openapi.IF_NONE_MATCH],
    }),
    post: openapi.forOrganization(
      'createToken',
      'Create a token',
      {
        201: openapi.response('The token.', 'NewToken'),
        ...openapi.BAD_BODY,
        409: openapi.refusal('The organization has too many tokens.'),
      },
      {
        ...openapi.requiresScope('admin'),
        ...openapi.body({ name: shape.ref('Name'), scope: shape.ref('Scope') }, { expiresAt: shape.ref('FutureTime') }),
      },
    ),
  },
  '/api/tokens/{token}': {
    parameters: [TOKEN],
    delete: openapi.forOrganization(
      'deleteToken',
      'Delete a token and end its sessions',
      {
        204: { description: 'Deleted.' },
        ...openapi.NOT_FOUND,
        409: openapi.refusal('It is the last token with the scope admin.'),
      },
      openapi.requiresScope('admin'),
    ),
  },
};

/** The token that a body describes. @throws Refusal that lists every invalid field */
function newTokenIn(body: JsonObject): NewToken {
  return fieldsIn<NewToken>(body, {
    name: textField(nameError),
    scope: choiceField(SCOPES),
    expiresAt: nullable(futureField(Date.now())),
  });
}
