import type { Service } from '../context.ts';
import { readBody } from '../http/body.ts';
import type { Caller } from '../http/caller.ts';
import { taggedJson } from '../http/conditions.ts';
import { pathParameter } from '../http/path-parameter.ts';
import { json, notFound, Refusal } from '../http/problems.ts';
import type { Route, WebContext } from '../http/routes.ts';
import { newTokenIn } from '../http/token-fields.ts';
import type { Db } from '../storage/database.ts';
import { createToken, listTokens, revokeToken, TOKENS_LIMIT } from '../storage/tokens.ts';
import { idPageIn } from './query.ts';

/** The tokens of an organization. */
export function tokenRoutes({ db, log }: Service): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/tokens',
      access: 'organization',
      scope: 'admin',
      answer: async (c, { id }) => taggedJson(c, await listTokens(db, id, idPageIn(c))),
    },
    {
      method: 'POST',
      path: '/api/tokens',
      access: 'organization',
      scope: 'admin',
      async answer(c, { id, actor }) {
        const created = await createToken(db, id, newTokenIn(await readBody(c)), actor);
        if (created === null)
          throw new Refusal(
            'too-many-tokens',
            `An organization can have at most ${TOKENS_LIMIT} tokens. Delete one first.`,
          );
        log('info', 'token-created', { organization: id, token: created.token.id, scope: created.token.scope });
        return json(c, { ...created.token, token: created.secret }, 201);
      },
    },
    {
      method: 'DELETE',
      path: '/api/tokens/{token}',
      access: 'organization',
      scope: 'admin',
      async answer(c, caller) {
        await deleteToken(c, db, caller);
        log('info', 'token-deleted', { organization: caller.id, token: pathParameter(c, 'token') });
        return c.body(null, 204);
      },
    },
  ];
}

async function deleteToken(c: WebContext, db: Db, { id, actor }: Caller): Promise<void> {
  const outcome = await revokeToken(db, id, pathParameter(c, 'token'), actor);
  if (outcome === 'missing') throw notFound('token');
  if (outcome === 'last-admin')
    throw new Refusal(
      'last-admin-token',
      'It is the last token with the scope “admin”. Create another one with that scope first.',
    );
}
