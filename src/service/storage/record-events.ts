import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { NewEvent } from '../events.ts';
import type { Db } from './database.ts';
import { storable, storableJson } from './packed.ts';
import { queueEvents } from './webhook-queue.ts';

/** Writes the history of registries, and deletes what is old. */

/** What is recorded, and about which registry. */
export type RecordedEvent = NewEvent & {
  registryId: number;
  /** The subscription, if the event is about a single one. */
  subscriptionId?: string;
  at: Date;
};

/** Rows per statement. */
const BATCH_SIZE = 1000;

/**
 * Records events in the transaction of the change that they are about, and queues them for webhooks: all of it is
 * committed, or nothing is.
 * @param trx the transaction
 */
export async function recordEvents(trx: Db, events: readonly RecordedEvent[]): Promise<void> {
  const recorded = events.map((event) => ({ ...event, id: randomUUID() }));
  for (let start = 0; start < recorded.length; start += BATCH_SIZE)
    await trx
      .insertInto('events')
      .values(recorded.slice(start, start + BATCH_SIZE).map(rowOf))
      .execute();
  await queueEvents(trx, recorded);
}

function rowOf({ id, registryId, subscriptionId, at, type, app, version, data }: RecordedEvent & { id: string }) {
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
const EVENTS_KEPT: EventsKept = { days: 180, perRegistry: 20_000 };

interface EventsKept {
  days: number;
  perRegistry: number;
}

/** Deletes events that are too old or too many. The start of a subscription is kept as long as the subscription. */
export async function dropOldEvents(db: Db, { days, perRegistry }: EventsKept = EVENTS_KEPT): Promise<void> {
  await sql`delete from events where at < now() - make_interval(days => ${days}) and subscription_id is null`.execute(
    db,
  );
  await sql`
    delete from events e using (
      select r.id, (select sequence from events where registry_id = r.id and subscription_id is null
        order by sequence desc offset ${perRegistry} limit 1) as last
      from registries r) bound
    where e.registry_id = bound.id and e.sequence <= bound.last and e.subscription_id is null`.execute(db);
}
