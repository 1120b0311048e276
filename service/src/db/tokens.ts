import { type OrganizationView } from '../domain/organizations.ts';
import { type Scope } from '../domain/scopes.ts';
import { type Db } from './database.ts';
import { sql, type Selectable } from 'kysely';
import { type PageQuery, pageById, isUuid } from './page.ts';
import { type TokenView } from '../domain/tokens.ts';
import { type Actor } from '../domain/audit.ts';
import { lockOrganization, COUNT } from './conditions.ts';
import { recordAudit } from './audit.ts';
import { type TokenRow } from './tables/organizations.ts';
import { storable } from '../domain/storable.ts';
import { CallerDeleted } from './error.ts';
import { randomBytes, createHash } from 'node:crypto';

/** The tokens of organizations. A token is shown once; only its SHA-256 is stored. */

const TOKEN = /^apr_[\w-]{43}$/;
/** Maximum tokens per organization. */
export const TOKENS_LIMIT = 100;

/** The organization and the token that a request was authenticated with. */
export interface Identity {
  organization: OrganizationView;
  token: { id: string; name: string; scope: Scope };
  /** True if the operator suspended the organization. */
  suspended: boolean;
  /** True if the token has expired. */
  expired: boolean;
  /** True if its last use was recorded more than a minute ago. */
  isUseStale: boolean;
}

/** The organization of a token; null for an unknown one. */
export async function identityOfToken(db: Db, token: string): Promise<Identity | null> {
  if (!TOKEN.test(token)) return null;
  const row = await tokensWithOrganizations(db).where('tokens.hash', '=', digestOfSecret(token)).executeTakeFirst();
  return row === undefined ? null : identityOf(row);
}

export function tokensWithOrganizations(db: Db) {
  return db
    .selectFrom('tokens')
    .innerJoin('organizations', 'organizations.id', 'tokens.organizationId')
    .select([
      'organizations.id',
      'organizations.name',
      'organizations.createdAt',
      'tokens.id as tokenId',
      'tokens.name as tokenName',
      'scope',
      'secretSince',
      sql<boolean>`suspended_at IS NOT NULL`.as('suspended'),
      sql<boolean>`coalesce(tokens.expires_at <= now(), FALSE)`.as('expired'),
      sql<boolean>`coalesce(last_used_at < now() - INTERVAL '1 minute', TRUE)`.as('isUseStale'),
    ]);
}

type IdentityRow = Awaited<ReturnType<ReturnType<typeof tokensWithOrganizations>['execute']>>[number];

export function identityOf({ suspended, expired, isUseStale, ...row }: IdentityRow): Identity {
  return {
    organization: {
      id: row.id,
      name: row.name,
      createdAt: row.createdAt.toISOString(),
      tokenSince: row.secretSince.toISOString(),
    },
    token: { id: row.tokenId, name: row.tokenName, scope: row.scope },
    suspended,
    expired,
    isUseStale,
  };
}

/** Records that a token is in use, at most once a minute. */
export async function writeTokenUse(db: Db, id: string): Promise<void> {
  await sql`UPDATE tokens SET last_used_at = now()
    WHERE id = ${id} AND coalesce(last_used_at < now() - INTERVAL '1 minute', TRUE)`.execute(db);
}

/** The tokens of an organization in order of creation. @param after the id of one of them */
export async function listTokens(
  db: Db,
  organizationId: string,
  wanted: PageQuery,
): Promise<{ tokens: TokenView[]; next: string | null }> {
  const query = db.selectFrom('tokens').selectAll().where('organizationId', '=', organizationId);
  const { page, next } = await pageById(query, wanted, { table: 'tokens' });
  return { tokens: page.map(tokenView), next };
}

export interface NewToken {
  /** Accepted by `nameError`. */
  name: string;
  scope: Scope;
  expiresAt: Date | null;
}

/** Creates a token. @returns null if the organization has too many: only the operator can issue more */
export async function createToken(
  db: Db,
  organizationId: string,
  wanted: NewToken,
  actor: Actor,
): Promise<{ token: TokenView; secret: string } | null> {
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    const { count } = await tx
      .selectFrom('tokens')
      .where('organizationId', '=', organizationId)
      .select(COUNT)
      .executeTakeFirstOrThrow();
    if (count >= TOKENS_LIMIT && actor.type !== 'operator') return null;
    const { row, secret } = await insertToken(tx, organizationId, wanted);
    await recordAudit(tx, {
      organizationId,
      actor,
      action: actor.type === 'operator' ? 'token-issued' : 'token-created',
      target: { id: row.id, name: row.name },
      details: { scope: row.scope, expiresAt: row.expiresAt?.toISOString() ?? null },
    });
    return { token: tokenView(row), secret };
  });
}

/** Inserts a token. @returns its row, and the secret that is shown once */
export async function insertToken(
  tx: Db,
  organizationId: string,
  { name, scope, expiresAt }: NewToken,
): Promise<{ row: Selectable<TokenRow>; secret: string }> {
  const { secret, hash } = newSecret();
  const row = await tx
    .insertInto('tokens')
    .values({ organizationId, name: storable(name), scope, hash, expiresAt })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row, secret };
}

/**
 * Deletes a token and ends its sessions. The last token that can make others is kept, since only the operator could
 * give access to the organization afterwards.
 */
export async function revokeToken(
  db: Db,
  organizationId: string,
  id: string,
  actor: Actor,
): Promise<'deleted' | 'missing' | 'last-admin'> {
  if (!isUuid(id)) return 'missing';
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    const row = await tx
      .selectFrom('tokens')
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .select(['name', 'scope'])
      .executeTakeFirst();
    if (row === undefined) return 'missing';
    if (row.scope === 'admin' && !(await hasOtherAdmin(tx, organizationId, id))) return 'last-admin';
    await tx.deleteFrom('tokens').where('id', '=', id).execute();
    await recordAudit(tx, { organizationId, actor, action: 'token-deleted', target: { id, name: row.name } });
    return 'deleted';
  });
}

async function hasOtherAdmin(tx: Db, organizationId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('tokens')
    .where('organizationId', '=', organizationId)
    .where('id', '<>', id)
    .where('scope', '=', 'admin')
    .where(sql<boolean>`coalesce(expires_at > now(), TRUE)`)
    .select('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Gives a token a new value: the previous one and the sessions that it opened end immediately.
 * @param organization as the token was read: of two concurrent rotations, only one has an effect
 * @returns the value, and the organization as the token is now
 * @throws CallerDeleted if the token does not exist any more, or has another value since it was read
 */
export async function rotateToken(
  db: Db,
  organization: OrganizationView,
  id: string,
  actor: Actor,
): Promise<{ secret: string; organization: OrganizationView }> {
  const organizationId = organization.id;
  const { secret, hash } = newSecret();
  const since = await db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('tokens')
      .set({ hash, secretSince: sql<Date>`now()` })
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .where(hasValueOf(organization))
      .returning(['name', 'secretSince'])
      .executeTakeFirst();
    if (row === undefined) throw new CallerDeleted();
    await tx.deleteFrom('sessions').where('tokenId', '=', id).execute();
    await recordAudit(tx, { organizationId, actor, action: 'token-rotated', target: { id, name: row.name } });
    return row.secretSince;
  });
  return { secret, organization: { ...organization, tokenSince: since.toISOString() } };
}

/** True if a token still has the value that it had when it was read. */
export function hasValueOf({ tokenSince }: OrganizationView) {
  // A view has milliseconds, the database has microseconds.
  return sql<boolean>`date_trunc('milliseconds', secret_since) = ${tokenSince}::timestamptz`;
}

function newSecret(): { secret: string; hash: Buffer } {
  const secret = `apr_${randomBytes(32).toString('base64url')}`;
  return { secret, hash: digestOfSecret(secret) };
}

/** The stored form of tokens and cookies. */
export function digestOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function tokenView({ id, name, scope, createdAt, expiresAt, lastUsedAt }: Selectable<TokenRow>): TokenView {
  return {
    id,
    name,
    scope,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
