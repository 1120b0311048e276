import { sql, type RawBuilder } from 'kysely';
import { type Db } from './database.ts';
import { CONFIRMED } from './conditions.ts';
import { type EventToRecord } from '../domain/events.ts';
import { recordEvents } from './events.ts';
import { isUuid } from './page.ts';
import { storable } from '../domain/storable.ts';

/**
 * App keys that two registries of an organization list. Neither app replaces the other: each is addressed by its
 * registry. The organization is told when the second one arrives.
 */

/** Another registry of the organization, and whether it lists the key: both subscriptions are confirmed. */
const HOLDERS = sql`
  JOIN subscriptions AS holder ON holder.organization_id = subscriptions.organization_id
    AND holder.registry_id <> subscriptions.registry_id AND holder.confirmed_at IS NOT NULL
  JOIN apps AS held ON held.registry_id = holder.registry_id AND held.key = apps.key AND held.listed`;

/**
 * Records that a registry lists keys that another registry of the same organization lists already, for each organization.
 * @param tx the transaction that lists the keys
 * @param keys that were not listed before
 */
export async function recordClaimedKeys(tx: Db, registryId: number, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await recordClaims(tx, sql`subscriptions.registry_id = ${registryId} AND apps.key = ANY(${keys})`);
}

/** The same for all keys of the registries of subscriptions that have just been confirmed. */
export async function recordClaimedKeysOf(tx: Db, subscriptionIds: readonly string[]): Promise<void> {
  if (subscriptionIds.length === 0) return;
  await recordClaims(tx, sql`subscriptions.id = ANY(${subscriptionIds}::uuid[])`);
}

async function recordClaims(tx: Db, condition: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{
    registryId: number;
    subscriptionId: string;
    key: string;
    holderId: string;
    holderName: string;
    at: Date;
  }>`
    SELECT DISTINCT ON (subscriptions.id, apps.key) subscriptions.registry_id AS "registryId",
      subscriptions.id AS "subscriptionId", apps.key, holder.id AS "holderId", holder.name AS "holderName", now() AS at
    FROM subscriptions JOIN apps ON apps.registry_id = subscriptions.registry_id AND apps.listed ${HOLDERS}
    WHERE ${CONFIRMED} AND ${condition}
    ORDER BY subscriptions.id, apps.key, holder.created_at, holder.id`.execute(tx);
  const events = rows.map(({ registryId, subscriptionId, key, holderId, holderName, at }): EventToRecord => ({
    type: 'app-key-claimed',
    app: key,
    version: null,
    data: { registry: { id: holderId, name: holderName } },
    registryId,
    subscriptionId,
    at,
  }));
  await recordEvents(tx, events);
}

/** The other registries of an organization that list an app with the same key, by name. */
export async function otherRegistriesWith(
  db: Db,
  organizationId: string,
  subscriptionId: string,
  key: string,
): Promise<{ id: string; name: string }[]> {
  if (!isUuid(subscriptionId)) return [];
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT holder.id, holder.name
    FROM subscriptions JOIN apps ON apps.registry_id = subscriptions.registry_id AND apps.listed ${HOLDERS}
    WHERE subscriptions.organization_id = ${organizationId} AND subscriptions.id = ${subscriptionId}
      AND ${CONFIRMED} AND apps.key = ${storable(key)}
    ORDER BY holder.name, holder.id`.execute(db);
  return rows;
}
