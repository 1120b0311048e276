import { createHash, randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Db } from './database.ts';
import { storable } from './packed.ts';
import type { OrganizationRow } from './tables.ts';
import type { OrganizationView } from '../views.ts';

/** Organizations and their tokens. A token is shown once; only its SHA-256 is stored. */

const TOKEN = /^apr_[\w-]{43}$/;

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
  const created = await db
    .insertInto('organizations')
    .values({ name: storable(name), tokenHash, idempotencyKey })
    .onConflict((conflict) => conflict.column('idempotencyKey').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (created) return { organization: organizationView(created), token };
  const existing = await db
    .selectFrom('organizations')
    .selectAll()
    .where('idempotencyKey', '=', idempotencyKey)
    .executeTakeFirstOrThrow();
  return { organization: organizationView(existing), token: null };
}

/** The organization of a token; null for an invalid one. */
export async function organizationOf(db: Db, token: string): Promise<OrganizationView | null> {
  if (!TOKEN.test(token)) return null;
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('tokenHash', '=', sha256(token))
    .executeTakeFirst();
  return row ? organizationView(row) : null;
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

function newToken(): { token: string; tokenHash: Buffer } {
  const token = `apr_${randomBytes(32).toString('base64url')}`;
  return { token, tokenHash: sha256(token) };
}

/** How tokens and cookies are stored. */
export function sha256(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function organizationView({ id, name, createdAt, tokenSince }: Selectable<OrganizationRow>): OrganizationView {
  return { id, name, createdAt: createdAt.toISOString(), tokenSince: tokenSince.toISOString() };
}
