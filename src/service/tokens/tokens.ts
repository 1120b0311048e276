import type { Actor } from '../history/audit.ts';
import type { Service } from '../context.ts';
import { createToken, type NewToken, revokeToken, TOKENS_LIMIT, type Identity, writeTokenUse } from './store.ts';
import type { TokenView } from './schema.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { SCOPES } from './scopes.ts';
import { choiceField, fieldsIn, futureField, nullable, textField, nameError } from '../http/fields.ts';
import { type Log, errorMessage } from '../log.ts';
import type { Db } from '../database/database.ts';

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

/** The token that a body describes. @throws Refusal that lists every invalid field */
export function newTokenIn(body: JsonObject): NewToken {
  return fieldsIn<NewToken>(body, {
    name: textField(nameError),
    scope: choiceField(SCOPES),
    expiresAt: nullable(futureField(Date.now())),
  });
}

/** Records the use of a token. If the database cannot be written, the request continues. */
export async function recordTokenUse(db: Db, log: Log, { token, isUseStale }: Identity): Promise<void> {
  if (!isUseStale) return;
  await writeTokenUse(db, token.id).catch((error: unknown) =>
    log('warn', 'token-use-not-recorded', { error: errorMessage(error) }),
  );
}
