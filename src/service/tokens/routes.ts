import type { Service } from '../context.ts';
import { readBody } from '../http/fields.ts';
import type { Caller } from '../http/auth.ts';
import { taggedJson } from '../http/conditions.ts';
import { pathParameter, ID_PAGE_QUERY, queryIn } from '../http/query.ts';
import { json, NotFound, Refusal } from '../http/problems.ts';
import { organizationRoute, type Route, type WebContext } from '../http/routes.ts';
import { newTokenIn, addToken, deleteToken, TOO_MANY_TOKENS } from './tokens.ts';
import { listTokens } from './store.ts';

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
