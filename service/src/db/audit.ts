import {
  type Actor,
  type AuditAction,
  type AuditOutcome,
  type AuditDetails,
  type AuditEntryView,
} from '../domain/audit.ts';
import { type Db } from './database.ts';
import { storable, storableJson } from '../domain/storable.ts';
import { type PageQuery, pageById } from './page.ts';
import { sql } from 'kysely';

/** The audit log: an entry is written in the transaction of the change that it records. */

export interface AuditRecord {
  organizationId: string;
  actor: Actor;
  action: AuditAction;
  target?: { id?: string; name?: string };
  outcome?: AuditOutcome;
  /** Never secrets. */
  details?: AuditDetails;
}

/** Days that entries are kept. */
const AUDIT_RETENTION_DAYS = 400;

/** @param tx the transaction of the change */
export async function recordAudit(tx: Db, record: AuditRecord): Promise<void> {
  const { organizationId, actor, action, target = {}, outcome = 'done', details = {} } = record;
  await tx
    .insertInto('auditEntries')
    .values({
      organizationId,
      actorType: actor.type,
      tokenId: actor.token?.id ?? null,
      tokenName: actor.token?.name ?? null,
      address: actor.address,
      action,
      targetId: target.id ?? null,
      targetName: target.name === undefined ? null : storable(target.name),
      outcome,
      details: storableJson(details),
    })
    .execute();
}

/**
 * The entries of an organization, the newest first.
 * @param action only these; null for all
 * @param after the id of one of them
 */
export async function listAuditEntries(
  db: Db,
  organizationId: string,
  { action, ...wanted }: PageQuery & { action: AuditAction | null },
): Promise<{ entries: AuditEntryView[]; next: string | null }> {
  let query = db.selectFrom('auditEntries').selectAll().where('organizationId', '=', organizationId);
  if (action !== null) query = query.where('action', '=', action);
  const { page, next } = await pageById(query, wanted, {
    table: 'auditEntries',
    newestOf: ['organizationId', organizationId],
  });
  const entries = page.map(
    ({ id, at, actorType, tokenId, tokenName, address, targetId, targetName, outcome, details, ...row }) => ({
      id,
      at: at.toISOString(),
      actor: { type: actorType, token: tokenId === null ? null : { id: tokenId, name: tokenName ?? '' }, address },
      action: row.action,
      target: { id: targetId, name: targetName },
      outcome,
      details,
    }),
  );
  return { entries, next };
}

/** Deletes the entries of a deleted organization, except those about what the operator did. */
export async function deleteAuditEntriesOf(tx: Db, organizationId: string): Promise<void> {
  await tx
    .deleteFrom('auditEntries')
    .where('organizationId', '=', organizationId)
    .where('actorType', '<>', 'operator')
    .execute();
}

/** Deletes entries that have been kept long enough. */
export async function deleteOldAuditEntries(db: Db): Promise<void> {
  await sql`DELETE FROM audit_entries WHERE at < now() - make_interval(days => ${AUDIT_RETENTION_DAYS})`.execute(db);
}
