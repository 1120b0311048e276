import { type Db } from './database.ts';
import { type Actor } from '../domain/audit.ts';
import { sql } from 'kysely';
import { recordClaimedKeysOf } from './claimed-keys.ts';
import { recordAudit } from './audit.ts';
import { registryEvent } from '../domain/events.ts';
import { recordEvents } from './events.ts';

/** New subscriptions, each with the first event of its history. */

/**
 * @param request.name accepted by `nameError`
 * @param request.confirmed whether the host has served the URL for this
 *   request
 * @returns the id of the subscription, also if it existed
 */
export async function insertSubscription(
  db: Db,
  organizationId: string,
  registryId: number,
  { name, actor, confirmed }: { name: string; actor: Actor; confirmed: boolean },
): Promise<{ id: string; created: boolean }> {
  const created = await db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto('subscriptions')
      .values({ organizationId, registryId, name, confirmedAt: confirmed ? sql<Date>`now()` : null })
      .onConflict((conflict) => conflict.columns(['organizationId', 'registryId']).doNothing())
      .returning(['id', 'createdAt'])
      .executeTakeFirst();
    if (row) {
      await recordSubscribed(tx, registryId, row, false);
      if (confirmed) await recordClaimedKeysOf(tx, [row.id]);
      await recordAudit(tx, { organizationId, actor, action: 'registry-subscribed', target: { id: row.id, name } });
    }
    return row;
  });
  if (created) return { id: created.id, created: true };
  // A concurrent request for the same registry was faster.
  const { id } = await db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organizationId)
    .where('registryId', '=', registryId)
    .select('id')
    .executeTakeFirstOrThrow();
  return { id, created: false };
}

/** Subscribes an organization to an official registry. A subscription of its own becomes an official one. */
export async function insertOfficialSubscription(
  db: Db,
  organizationId: string,
  registryId: number,
  name: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto('subscriptions')
      .values({ organizationId, registryId, name, official: true })
      .onConflict((conflict) => conflict.columns(['organizationId', 'registryId']).doUpdateSet({ official: true }))
      // A row that was updated has a transaction that ended its previous version.
      .returning(['id', 'createdAt', sql<boolean>`xmax = 0`.as('isNew')])
      .executeTakeFirstOrThrow();
    if (row.isNew) await recordSubscribed(tx, registryId, row, true);
  });
}

/** The first event that a subscription sees. */
async function recordSubscribed(
  tx: Db,
  registryId: number,
  { id, createdAt }: { id: string; createdAt: Date },
  official: boolean,
): Promise<void> {
  const event = registryEvent('subscribed', { official });
  await recordEvents(tx, [{ ...event, registryId, subscriptionId: id, at: createdAt }]);
}
