import { createHash, randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Db } from './open.ts';
import { storable } from './packed.ts';
import type { OrganizationRow } from './tables.ts';
import type { OrganizationView } from '../views.ts';

/** Organizations and who speaks for them. Secrets are shown once; what is kept is their SHA-256. */

const TOKEN = /^apr_[\w-]{43}$/;
const COOKIE = /^[\w-]{43}$/;
/** Milliseconds that a session on the page lasts. */
const SESSION = 30 * 86_400_000;

/**
 * Makes an organization. Whoever tries again with the same key gets the one that was made, without its token: that was
 * shown once.
 * @param idempotencyKey of the request; null where the client sent none
 */
export async function createOrganization(
  db: Db,
  name: string,
  idempotencyKey: string | null,
): Promise<{ organization: OrganizationView; token: string | null }> {
  const { token, tokenHash } = newToken();
  const made = await db
    .insertInto('organizations')
    .values({ name: storable(name), tokenHash, idempotencyKey })
    .onConflict((conflict) => conflict.column('idempotencyKey').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made) return { organization: viewOf(made), token };
  const before = await db
    .selectFrom('organizations')
    .selectAll()
    .where('idempotencyKey', '=', idempotencyKey)
    .executeTakeFirstOrThrow();
  return { organization: viewOf(before), token: null };
}

/** Whose token it is; null for any other text. */
export async function organizationOf(db: Db, token: string): Promise<OrganizationView | null> {
  if (!TOKEN.test(token)) return null;
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('tokenHash', '=', sha256(token))
    .executeTakeFirst();
  return row ? viewOf(row) : null;
}

/** A new token; the one before it, and all sessions, end with this call. */
export async function rotateToken(db: Db, id: string): Promise<string> {
  const { token, tokenHash } = newToken();
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('organizations')
      .set({ tokenHash, tokenSince: new Date() })
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await transaction.deleteFrom('sessions').where('organizationId', '=', id).execute();
  });
  return token;
}

/** Signs somebody in on the page. Sessions that are over are swept out on the way. */
export async function openSession(db: Db, id: string): Promise<{ cookie: string; expiresAt: Date }> {
  const cookie = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + SESSION);
  await db
    .deleteFrom('sessions')
    .where('expiresAt', '<', sql<Date>`now()`)
    .execute();
  await db
    .insertInto('sessions')
    .values({ hash: sha256(cookie), organizationId: id, expiresAt })
    .execute();
  return { cookie, expiresAt };
}

/** Whose session the cookie's value opens; null for any other text, and once it is over. */
export async function organizationOfSession(db: Db, cookie: string): Promise<OrganizationView | null> {
  if (!COOKIE.test(cookie)) return null;
  const row = await db
    .selectFrom('sessions')
    .innerJoin('organizations', 'organizations.id', 'sessions.organizationId')
    .selectAll('organizations')
    .where('sessions.hash', '=', sha256(cookie))
    .where('sessions.expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row ? viewOf(row) : null;
}

export async function closeSession(db: Db, cookie: string): Promise<void> {
  await db.deleteFrom('sessions').where('hash', '=', sha256(cookie)).execute();
}

function newToken(): { token: string; tokenHash: Buffer } {
  const token = `apr_${randomBytes(32).toString('base64url')}`;
  return { token, tokenHash: sha256(token) };
}

function sha256(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function viewOf({ id, name, createdAt, tokenSince }: Selectable<OrganizationRow>): OrganizationView {
  return { id, name, createdAt: createdAt.toISOString(), tokenSince: tokenSince.toISOString() };
}
