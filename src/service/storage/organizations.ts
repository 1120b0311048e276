import { createHash, randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Db } from './database.ts';
import { storable } from './packed.ts';
import type { OrganizationRow } from './tables.ts';
import type { OrganizationView } from '../views.ts';

/** Organizations and their credentials. Secrets are shown once; only their SHA-256 is stored. */

const TOKEN = /^apr_[\w-]{43}$/;
const COOKIE = /^[\w-]{43}$/;
/** Lifetime of a web session in milliseconds. */
const SESSION = 30 * 86_400_000;

/**
 * Creates an organization. A retry with the same key returns the existing one without its token, which is shown only
 * once.
 * @param idempotencyKey of the request; null if the client sent none
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

/** The organization of a token; null for an invalid one. */
export async function organizationOf(db: Db, token: string): Promise<OrganizationView | null> {
  if (!TOKEN.test(token)) return null;
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('tokenHash', '=', sha256(token))
    .executeTakeFirst();
  return row ? viewOf(row) : null;
}

/** Creates a new token; the previous one and all sessions end immediately. */
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

/** Creates a web session, and deletes expired ones. */
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

/** The organization of a session cookie; null for an invalid or expired one. */
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
