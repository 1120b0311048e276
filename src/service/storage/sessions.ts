import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { OrganizationView } from '../views.ts';
import type { Db } from './database.ts';
import { organizationView, sha256 } from './organizations.ts';

/** Web sessions. The cookie's value is not stored, only its SHA-256. */

const COOKIE = /^[\w-]{43}$/;
/** Lifetime of a session in milliseconds. */
const LIFETIME = 30 * 86_400_000;

/** Creates a web session, and deletes expired ones. */
export async function openSession(db: Db, id: string): Promise<{ cookie: string; expiresAt: Date }> {
  const cookie = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + LIFETIME);
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
  return row ? organizationView(row) : null;
}

export async function closeSession(db: Db, cookie: string): Promise<void> {
  await db.deleteFrom('sessions').where('hash', '=', sha256(cookie)).execute();
}
