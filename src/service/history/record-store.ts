import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { EventToRecord, RecordedEvent } from './events.ts';
import type { Db } from '../database/database.ts';
import { storable, storableJson } from '../database/packed.ts';
import { queueEvents } from '../webhooks/queue-store.ts';

/** Writes the history of registries, and deletes what is old. */

/** Rows per statement. */
const BATCH_SIZE = 1000;

/**
 * Records events in the transaction of the change that they are about, and queues them for webhooks: all of it is
 * committed, or nothing is.
 * @param tx the transaction
 */
export async function recordEvents(tx: Db, events: readonly EventToRecord[]): Promise<void> {
  const recorded = events.map((event) => ({ ...event, id: randomUUID() }));
  for (let start = 0; start < recorded.length; start += BATCH_SIZE)
    await tx
      .insertInto('events')
      .values(recorded.slice(start, start + BATCH_SIZE).map(rowOf))
      .execute();
  await queueEvents(tx, recorded);
}

function rowOf({ id, registryId, subscriptionId, at, type, app, version, data }: RecordedEvent) {
  return {
    id,
    registryId,
    subscriptionId: subscriptionId ?? null,
    at,
    type,
    appKey: app,
    version: version === null ? null : storable(version),
    // A registry's text may contain characters that jsonb rejects.
    data: storableJson(data),
  };
}

/** How long events are kept, and how many of a registry. */
const EVENT_RETENTION: EventRetention = { days: 180, perRegistry: 20_000 };

interface EventRetention {
  days: number;
  perRegistry: number;
}

/** Deletes events that are too old or too many. The start of a subscription is kept as long as the subscription. */
export async function deleteOldEvents(db: Db, { days, perRegistry }: EventRetention = EVENT_RETENTION): Promise<void> {
  await sql`DELETE FROM events WHERE at < now() - make_interval(days => ${days}) AND subscription_id IS NULL`.execute(
    db,
  );
  await sql`
    DELETE FROM events USING (
      SELECT registries.id, (
        SELECT sequence FROM events WHERE registry_id = registries.id AND subscription_id IS NULL
        ORDER BY sequence DESC OFFSET ${perRegistry} LIMIT 1) AS last_deleted
      FROM registries) AS bounds
    WHERE events.registry_id = bounds.id AND events.sequence <= bounds.last_deleted
      AND events.subscription_id IS NULL`.execute(db);
}
