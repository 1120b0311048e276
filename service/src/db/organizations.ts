import { type OrganizationView, type OrganizationSummary } from '../domain/organizations.ts';
import { type Db } from './database.ts';
import { type Actor } from '../domain/audit.ts';
import { storable } from '../domain/storable.ts';
import { insertToken } from './tokens.ts';
import { recordAudit, deleteAuditEntriesOf } from './audit.ts';
import { type Selectable, sql } from 'kysely';
import { type OrganizationRow } from './tables/organizations.ts';
import { type PageQuery, pageById, isUuid } from './page.ts';

/** The creation of organizations. */

interface CreatedOrganization {
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

/** Actions of the operator on organizations. */

/**
 * All organizations in order of creation.
 * @param search a part of the name, ignoring case; null for all
 * @param after the id of an organization
 */
export async function listOrganizations(
  db: Db,
  { search, ...wanted }: PageQuery & { search: string | null },
): Promise<{ organizations: OrganizationSummary[]; next: string | null }> {
  let query = organizationSummaries(db);
  if (search !== null)
    query = query.where(
      sql<boolean>`strpos(
        lower(organizations.name COLLATE natural_order), lower(${storable(search)}::text COLLATE natural_order)) > 0`,
    );
  const { page, next } = await pageById(query, wanted, { table: 'organizations' });
  return { organizations: page.map(summaryView), next };
}

/** @returns null if it does not exist */
export async function organizationSummary(db: Db, id: string): Promise<OrganizationSummary | null> {
  if (!isUuid(id)) return null;
  const row = await organizationSummaries(db).where('organizations.id', '=', id).executeTakeFirst();
  return row === undefined ? null : summaryView(row);
}

function organizationSummaries(db: Db) {
  return db
    .selectFrom('organizations')
    .select([
      'organizations.id',
      'organizations.name',
      'organizations.createdAt',
      'organizations.suspendedAt',
      sql<string>`(SELECT count(*) FROM subscriptions WHERE organization_id = organizations.id)`.as('subscriptions'),
      sql<string>`(SELECT count(*) FROM tokens WHERE organization_id = organizations.id)`.as('tokens'),
      sql<string>`(SELECT count(*) FROM webhooks WHERE organization_id = organizations.id)`.as('webhooks'),
      sql<Date | null>`(SELECT max(last_used_at) FROM tokens WHERE organization_id = organizations.id)`.as(
        'lastUsedAt',
      ),
    ]);
}

type SummaryRow = Awaited<ReturnType<ReturnType<typeof organizationSummaries>['execute']>>[number];

function summaryView(row: SummaryRow): OrganizationSummary {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.createdAt.toISOString(),
    suspendedAt: row.suspendedAt?.toISOString() ?? null,
    subscriptions: Number(row.subscriptions),
    tokens: Number(row.tokens),
    webhooks: Number(row.webhooks),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}

/**
 * Suspends an organization, or resumes it: while it is suspended, its tokens and sessions are refused, its webhooks
 * wait, and registries that only it subscribes to are not checked.
 * @returns null if it does not exist
 */
export async function setSuspended(
  db: Db,
  id: string,
  suspended: boolean,
  actor: Actor,
): Promise<OrganizationSummary | null> {
  if (!isUuid(id)) return null;
  return db.transaction().execute(async (tx) => {
    const changed = await tx
      .updateTable('organizations')
      .set({ suspendedAt: suspended ? sql<Date>`now()` : null })
      .where('id', '=', id)
      .where('suspendedAt', suspended ? 'is' : 'is not', null)
      .returning('name')
      .executeTakeFirst();
    // Repeating the request changes nothing, and is not recorded.
    if (changed !== undefined) {
      const action = suspended ? 'organization-suspended' : 'organization-resumed';
      await recordAudit(tx, { organizationId: id, actor, action, target: { id, name: changed.name } });
    }
    return organizationSummary(tx, id);
  });
}

/**
 * Deletes an organization with all its data. Shared registries stay, and are not checked without other subscribers. Of
 * its audit log, what the operator did is kept.
 * @returns false if it does not exist
 */
export async function deleteOrganization(db: Db, id: string, actor: Actor): Promise<boolean> {
  if (!isUuid(id)) return false;
  return db.transaction().execute(async (tx) => {
    const deleted = await tx.deleteFrom('organizations').where('id', '=', id).returning('name').executeTakeFirst();
    if (deleted === undefined) return false;
    await deleteAuditEntriesOf(tx, id);
    const target = { id, name: deleted.name };
    await recordAudit(tx, { organizationId: id, actor, action: 'organization-deleted', target });
    return true;
  });
}
