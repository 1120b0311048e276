import type { Selectable } from 'kysely';
import type { Actor } from '../history/audit-actions.ts';
import type { OrganizationView } from '../views.ts';
import { recordAudit } from '../history/audit-store.ts';
import type { Db } from '../database/database.ts';
import { storable } from '../database/packed.ts';
import type { OrganizationRow } from '../database/organization-tables.ts';
import { insertToken } from '../tokens/store.ts';

/** The creation of organizations. */

export interface CreatedOrganization {
  organization: OrganizationView;
  /** Its first token, which can make others; null if the request was repeated, since a token is shown only once. */
  token: { id: string; secret: string } | null;
}

/**
 * Creates an organization with its first token. A retry with the same key returns the existing one without its token.
 * @param idempotencyKey of the request; null if the client sent none
 */
export async function createOrganization(
  db: Db,
  name: string,
  idempotencyKey: string | null,
  actor: Actor,
): Promise<CreatedOrganization> {
  return db.transaction().execute(async (tx) => {
    const created = await tx
      .insertInto('organizations')
      .values({ name: storable(name), idempotencyKey })
      .onConflict((conflict) => conflict.column('idempotencyKey').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (created === undefined) return { organization: await organizationByKey(tx, idempotencyKey), token: null };
    const { row, secret } = await insertToken(tx, created.id, { name: 'First token', scope: 'admin', expiresAt: null });
    await recordAudit(tx, {
      organizationId: created.id,
      actor,
      action: 'organization-created',
      target: { id: created.id, name: created.name },
    });
    return { organization: organizationView(created, row.secretSince), token: { id: row.id, secret } };
  });
}

async function organizationByKey(tx: Db, idempotencyKey: string | null): Promise<OrganizationView> {
  const { secretSince, ...existing } = await tx
    .selectFrom('organizations')
    .leftJoin('tokens', 'tokens.organizationId', 'organizations.id')
    .selectAll('organizations')
    .select('secretSince')
    .where('idempotencyKey', '=', idempotencyKey)
    .orderBy('tokens.createdAt')
    .executeTakeFirstOrThrow();
  return organizationView(existing, secretSince ?? existing.createdAt);
}

function organizationView(
  { id, name, createdAt }: Pick<Selectable<OrganizationRow>, 'id' | 'name' | 'createdAt'>,
  tokenSince: Date,
): OrganizationView {
  return { id, name, createdAt: createdAt.toISOString(), tokenSince: tokenSince.toISOString() };
}
