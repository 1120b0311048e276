import { sql, type Transaction } from 'kysely';
import type { Actor } from '../audit-actions.ts';
import type { RegistryAuth } from '../credentials.ts';
import type { SecretsKeys } from '../secrets-keys.ts';
import { recordAudit } from './audit.ts';
import type { Db } from './database.ts';
import { insertRegistry } from './registries.ts';
import { deleteCredentials, putCredentials } from './registry-credentials.ts';
import type { Database } from './tables.ts';
import { isUuid } from './uuid.ts';

/** Moves a subscription between the shared row of a registry and the organization's own, as it has credentials or not. */

/** A subscription, and who changes it. */
interface Target {
  organizationId: string;
  subscriptionId: string;
  actor: Actor;
}

/** The registry that a subscription uses from now on. */
export interface MovedSubscription {
  registryId: number;
  /** Whether it was another one before. */
  isMoved: boolean;
}

/**
 * Sets or replaces the credentials of a subscription's registry. A shared registry is left for one of the organization's
 * own, which begins with the apps and versions that the organization has been offered: the digests in force stay.
 * @param refuses says why credentials are not sent to the URL of the registry, or null
 * @returns a text: why they were refused; null if the organization does not have the subscription
 */
export async function setCredentials(
  db: Db,
  keys: SecretsKeys,
  { organizationId, subscriptionId, auth, actor }: Target & { auth: RegistryAuth },
  refuses: (url: string) => string | null,
): Promise<MovedSubscription | string | null> {
  return db.transaction().execute(async (tx) => {
    const current = await lockedRegistry(tx, organizationId, subscriptionId);
    if (current === null) return null;
    const { url } = current;
    const refusal = refuses(url);
    if (refusal !== null) return refusal;
    const own =
      current.ownerId === null ? await openOwnRegistry(tx, organizationId, current, subscriptionId) : current.id;
    await putCredentials(tx, keys, { id: own, ownerId: organizationId, url }, auth);
    await moveTo(tx, organizationId, subscriptionId, own);
    await recordChange(tx, { organizationId, subscriptionId, actor }, current, auth.type);
    return { registryId: own, isMoved: own !== current.id };
  });
}

/**
 * Removes the credentials: the subscription uses the shared row from now on, which has its own apps, versions and
 * report.
 * @returns null if the organization does not have the subscription
 */
export async function removeCredentials(db: Db, target: Target): Promise<MovedSubscription | null> {
  const { organizationId, subscriptionId } = target;
  return db.transaction().execute(async (tx) => {
    const current = await lockedRegistry(tx, organizationId, subscriptionId);
    if (current === null) return null;
    if (current.ownerId === null) return { registryId: current.id, isMoved: false };
    await deleteCredentials(tx, current.id);
    const { id } = await insertRegistry(tx, current.url, null);
    await moveTo(tx, organizationId, subscriptionId, id);
    await recordChange(tx, target, current, null);
    return { registryId: id, isMoved: true };
  });
}

async function recordChange(
  tx: Transaction<Database>,
  { organizationId, subscriptionId, actor }: Target,
  { name }: CurrentRegistry,
  type: RegistryAuth['type'] | null,
): Promise<void> {
  const action = 'registry-credentials-changed';
  await recordAudit(tx, { organizationId, actor, action, target: { id: subscriptionId, name }, details: { type } });
}

interface CurrentRegistry {
  id: number;
  /** The name of the subscription. */
  name: string;
  ownerId: string | null;
  url: string;
}

async function lockedRegistry(
  tx: Transaction<Database>,
  organizationId: string,
  subscriptionId: string,
): Promise<CurrentRegistry | null> {
  if (!isUuid(subscriptionId)) return null;
  const row = await tx
    .selectFrom('subscriptions as s')
    .innerJoin('registries as r', 'r.id', 's.registryId')
    .where('s.organizationId', '=', organizationId)
    .where('s.id', '=', subscriptionId)
    .select(['r.id', 'r.ownerId', 'r.url', 's.name'])
    .forUpdate('s')
    .executeTakeFirst();
  return row ?? null;
}

async function moveTo(
  tx: Transaction<Database>,
  organizationId: string,
  subscriptionId: string,
  registryId: number,
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ registryId })
    .where('organizationId', '=', organizationId)
    .where('id', '=', subscriptionId)
    .execute();
  await tx.updateTable('events').set({ registryId }).where('subscriptionId', '=', subscriptionId).execute();
}

/** The organization's own row for the URL of a shared registry. A new one begins with a copy. */
async function openOwnRegistry(
  tx: Transaction<Database>,
  organizationId: string,
  shared: CurrentRegistry,
  subscriptionId: string,
): Promise<number> {
  const { id, created } = await insertRegistry(tx, shared.url, organizationId);
  if (created) {
    await copyState(tx, shared.id, id);
    await copyHistory(tx, subscriptionId, shared.id, id);
  }
  return id;
}

/** Copies the events of a registry that a subscription sees, except its own, which `moveTo` moves. */
async function copyHistory(tx: Transaction<Database>, subscriptionId: string, from: number, to: number): Promise<void> {
  await sql`insert into events (registry_id, subscription_id, at, type, app_key, version, data)
    select ${to}, null, at, type, app_key, version, data from events
    where registry_id = ${from} and subscription_id is null and sequence > (
      select sequence from events where subscription_id = ${subscriptionId} and type = 'subscribed')
    order by sequence`.execute(tx);
}

/** Copies what subscribers see. Facts and validators are not copied: they were observed without credentials. */
async function copyState(tx: Transaction<Database>, from: number, to: number): Promise<void> {
  await sql`update registries r set checked_at = f.checked_at, good_at = f.good_at, failing_since = f.failing_since,
      errors = f.errors, warnings = f.warnings, symptoms = f.symptoms, report = f.report
    from registries f where r.id = ${to} and f.id = ${from}`.execute(tx);
  await sql`insert into apps (registry_id, key, position, name, description, color, icon, icon_fragment, listed, visible,
      because, latest, failing_since, hidden)
    select ${to}, key, position, name, description, color, icon, icon_fragment, listed, visible, because, latest,
      failing_since, hidden from apps where registry_id = ${from}`.execute(tx);
  await sql`insert into versions (registry_id, app_key, version, artifact_url, artifact_checksum, first_seen_at, state,
      rule, reason, verified_at, tried_at, bytes, swapped_checksum, served_checksum, withdrawn_at)
    select ${to}, app_key, version, artifact_url, artifact_checksum, first_seen_at, state, rule, reason, verified_at,
      tried_at, bytes, swapped_checksum, served_checksum, withdrawn_at from versions where registry_id = ${from}`.execute(
    tx,
  );
}
