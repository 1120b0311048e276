import { type Actor } from '../domain/audit.ts';
import { type Db } from './database.ts';
import { type SecretsKeys } from '../config/secrets-keys.ts';
import { type RegistryAuth } from '../domain/credentials.ts';
import { putCredentials, deleteCredentials } from './credentials.ts';
import { insertRegistry } from './registries.ts';
import { type Transaction, sql } from 'kysely';
import { type Database } from './tables/tables.ts';
import { recordAudit } from './audit.ts';
import { isUuid } from './page.ts';
import { moveDecisions } from './policies.ts';
import { CONFIRMED } from './conditions.ts';

/** Moves a subscription between the shared row of a registry and the organization's own, depending on whether it has credentials. */

/** A subscription whose credentials are changed, and who changes them. */
export interface CredentialsTarget {
  organizationId: string;
  subscriptionId: string;
  actor: Actor;
}

/** The registry that a subscription uses from now on. */
interface MovedSubscription {
  registryId: number;
  /** True if it was another one before. */
  isMoved: boolean;
}

/**
 * Sets or replaces the credentials of a subscription's registry. A shared registry is left for one of the organization's
 * own, which begins with the apps and versions that the organization has been offered: the pinned digests are kept.
 * @param refuses says why credentials are not sent to the URL of the registry, or null
 * @returns a text: why they were refused; null if the organization does not have the subscription
 */
export async function setCredentials(
  db: Db,
  keys: SecretsKeys,
  { organizationId, subscriptionId, auth, actor }: CredentialsTarget & { auth: RegistryAuth },
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
    await recordChange(tx, { organizationId, subscriptionId, actor }, current, auth.type);
    return { registryId: own, isMoved: own !== current.id };
  });
}

/**
 * Removes the credentials: the subscription uses the shared row from now on, which has its own apps, versions and
 * report. The events of the organization's own row stay visible to it.
 * @returns null if the organization does not have the subscription
 */
export async function removeCredentials(db: Db, target: CredentialsTarget): Promise<MovedSubscription | null> {
  const { organizationId, subscriptionId } = target;
  return db.transaction().execute(async (tx) => {
    const current = await lockedRegistry(tx, organizationId, subscriptionId);
    if (current === null) return null;
    if (current.ownerId === null) return { registryId: current.id, isMoved: false };
    await deleteCredentials(tx, current.id);
    const { id } = await insertRegistry(tx, current.url, null);
    await moveTo(tx, subscriptionId, id, false);
    await recordChange(tx, target, current, null);
    return { registryId: id, isMoved: true };
  });
}

async function recordChange(
  tx: Transaction<Database>,
  { organizationId, subscriptionId, actor }: CredentialsTarget,
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
    .selectFrom('subscriptions')
    .innerJoin('registries', 'registries.id', 'subscriptions.registryId')
    .where('subscriptions.organizationId', '=', organizationId)
    .where('subscriptions.id', '=', subscriptionId)
    .select(['registries.id', 'registries.ownerId', 'registries.url', 'subscriptions.name'])
    .forUpdate('subscriptions')
    .executeTakeFirst();
  return row ?? null;
}

/**
 * The subscription uses another row of its registry.
 * @param isCopy whether that row has only what the subscription could see; otherwise it waits until the host has served the
 *   URL for it
 */
async function moveTo(
  tx: Transaction<Database>,
  subscriptionId: string,
  registryId: number,
  isCopy: boolean,
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ registryId, refusedAt: null, ...(!isCopy && { confirmedAt: null, registrySince: sql<Date>`now()` }) })
    .where('id', '=', subscriptionId)
    .execute();
  await tx.updateTable('events').set({ registryId }).where('subscriptionId', '=', subscriptionId).execute();
  await moveDecisions(tx, { subscriptionId, registryId, isCopy });
}

/**
 * Moves the subscription to the organization's own row for the URL of a shared registry. A new one begins with a copy. The
 * subscription keeps the history that it has seen: none if the host has not served the URL for it.
 */
async function openOwnRegistry(
  tx: Transaction<Database>,
  organizationId: string,
  shared: CurrentRegistry,
  subscriptionId: string,
): Promise<number> {
  const { id, created } = await insertRegistry(tx, shared.url, organizationId);
  if (created) await copyState(tx, shared.id, id);
  await sql`UPDATE subscriptions
    SET shared_until = (SELECT max(sequence) FROM events WHERE registry_id = ${shared.id})
    WHERE id = ${subscriptionId} AND ${CONFIRMED}`.execute(tx);
  await moveTo(tx, subscriptionId, id, created);
  return id;
}

/**
 * Copies what subscribers see, and the right to the kept artifacts: its host may have lost some of them. Facts and
 * validators are not copied: they were observed without credentials.
 */
async function copyState(tx: Transaction<Database>, from: number, to: number): Promise<void> {
  await sql`UPDATE registries SET checked_at = source.checked_at, good_at = source.good_at,
      failing_since = source.failing_since, errors = source.errors, warnings = source.warnings,
      symptoms = source.symptoms, report = source.report
    FROM registries AS source WHERE registries.id = ${to} AND source.id = ${from}`.execute(tx);
  await sql`INSERT INTO apps (registry_id, key, position, name, description, color, icon, icon_fragment, fields, listed,
      visible, because, latest, failing_since, hidden)
    SELECT ${to}, key, position, name, description, color, icon, icon_fragment, fields, listed, visible, because,
      latest, failing_since, hidden FROM apps WHERE registry_id = ${from}`.execute(tx);
  await sql`INSERT INTO versions (registry_id, app_key, version, artifact_url, artifact_checksum, first_seen_at, state,
      rule, reason, verified_at, tried_at, bytes, swapped_checksum, served_checksum, withdrawn_at, lost_at)
    SELECT ${to}, app_key, version, artifact_url, artifact_checksum, first_seen_at, state, rule, reason, verified_at,
      tried_at, bytes, swapped_checksum, served_checksum, withdrawn_at, lost_at
    FROM versions WHERE registry_id = ${from}`.execute(tx);
  // Locks the files, since one that is dropped meanwhile cannot be referred to.
  await sql`INSERT INTO kept_artifacts (store, sha256, registry_id)
    SELECT store, sha256, ${to} FROM artifacts JOIN kept_artifacts USING (store, sha256)
    WHERE kept_artifacts.registry_id = ${from} FOR KEY SHARE OF artifacts`.execute(tx);
  await sql`INSERT INTO about_files (registry_id, app_key, url, content, fields)
    SELECT ${to}, app_key, url, content, fields FROM about_files
    WHERE registry_id = ${from}`.execute(tx);
  await sql`INSERT INTO about_versions (registry_id, app_key, version, published, notes, deprecated)
    SELECT ${to}, app_key, version, published, notes, deprecated FROM about_versions
    WHERE registry_id = ${from}`.execute(tx);
}
