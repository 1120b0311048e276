import { TOKENS_LIMIT, type NewToken, createToken, revokeToken } from '../db/tokens.ts';
import { type Service } from '../context.ts';
import { type Actor } from '../domain/audit.ts';
import { type TokenView } from '../domain/tokens.ts';

/** Creates and deletes the tokens of an organization, for the API and the pages. */

export const TOO_MANY_TOKENS = `An organization can have at most ${TOKENS_LIMIT} tokens. Delete one first.`;

/** @returns the token, and its secret, which is shown only once; null if the organization has too many */
export async function addToken(
  { db, log }: Pick<Service, 'db' | 'log'>,
  organizationId: string,
  wanted: NewToken,
  actor: Actor,
): Promise<{ token: TokenView; secret: string } | null> {
  const created = await createToken(db, organizationId, wanted, actor);
  if (created === null) return null;
  const { id, scope } = created.token;
  const event = actor.type === 'operator' ? 'token-issued' : 'token-created';
  log('info', event, { organization: organizationId, token: id, scope });
  return created;
}

/** @see revokeToken */
export async function deleteToken(
  { db, log }: Pick<Service, 'db' | 'log'>,
  organizationId: string,
  id: string,
  actor: Actor,
): ReturnType<typeof revokeToken> {
  const outcome = await revokeToken(db, organizationId, id, actor);
  if (outcome === 'deleted') log('info', 'token-deleted', { organization: organizationId, token: id });
  return outcome;
}
