import { type Db } from './database.ts';
import { type OrganizationView } from '../domain/organizations.ts';
import { type Actor } from '../domain/audit.ts';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { digestOfSecret, hasValueOf, type Identity, tokensWithOrganizations, identityOf } from './tokens.ts';
import { CallerDeleted } from './error.ts';
import { recordAudit } from './audit.ts';

/** Web sessions. The cookie's value is not stored, only its SHA-256. A session ends with the token that opened it. */

const COOKIE = /^[\w-]{43}$/;
/** Lifetime of a session in milliseconds. */
const LIFETIME = 30 * 86_400_000;

/**
 * Creates a web session, and deletes expired ones.
 * @param organization as the token was read: a value that was rotated since opens no session
 * @throws CallerDeleted if the token does not exist any more, or has another value since it was read
 */
export async function openSession(
  db: Db,
  organization: OrganizationView,
  tokenId: string,
  actor: Actor,
): Promise<{ cookie: string; expiresAt: Date }> {
  const organizationId = organization.id;
  const cookie = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + LIFETIME);
  await db
    .deleteFrom('sessions')
    .where('expiresAt', '<', sql<Date>`now()`)
    .execute();
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto('sessions')
      .values({ hash: digestOfSecret(cookie), organizationId, tokenId, expiresAt })
      .execute();
    // After the insert, which locks the organization first, as a deletion does. A rotation waits, and ends the session.
    const token = await tx
      .selectFrom('tokens')
      .where('id', '=', tokenId)
      .where(hasValueOf(organization))
      .select('id')
      .forShare()
      .executeTakeFirst();
    if (token === undefined) throw new CallerDeleted();
    await recordAudit(tx, { organizationId, actor, action: 'session-opened' });
  });
  return { cookie, expiresAt };
}

/** The organization and the token of a session cookie; null for an invalid or expired one. */
export async function identityOfSession(db: Db, cookie: string): Promise<Identity | null> {
  if (!COOKIE.test(cookie)) return null;
  const row = await tokensWithOrganizations(db)
    .innerJoin('sessions', 'sessions.tokenId', 'tokens.id')
    .where('sessions.hash', '=', digestOfSecret(cookie))
    .where('sessions.expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
  if (row === undefined) return null;
  const identity = identityOf(row);
  return identity.expired ? null : identity;
}

/** Ends a session. @param address of the client */
export async function closeSession(db: Db, cookie: string, address: string): Promise<void> {
  const identity = await identityOfSession(db, cookie);
  await db.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('sessions')
      .where('hash', '=', digestOfSecret(cookie))
      .executeTakeFirst();
    if (identity === null || numDeletedRows === 0n) return;
    const { organization, token } = identity;
    const actor: Actor = { type: 'session', token: { id: token.id, name: token.name }, address };
    await recordAudit(tx, { organizationId: organization.id, actor, action: 'session-closed' });
  });
}
