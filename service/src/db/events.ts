import { type PageQuery, pageSize, pageOf, isUuid } from './page.ts';
import {
  type EventType,
  type EventView,
  type NewEvent,
  eventView,
  type EventToRecord,
  type RecordedEvent,
} from '../domain/events.ts';
import { type Db } from './database.ts';
import { isSubscribed } from './subscriptions.ts';
import { storable, storableJson } from '../domain/storable.ts';
import { sql } from 'kysely';
import { CONFIRMED } from './conditions.ts';
import { randomUUID } from 'node:crypto';
import { queueEvents } from './deliveries.ts';

/**
 * The history of registries. A registry is shared, and so are its events, except those of one subscription. An
 * organization sees what happened from its own subscription on: what was before would reveal other subscribers. Events
 * of its own row, from a time in which the registry had credentials, stay visible after they were removed.
 */

/** Which events of an organization are listed; null for all. */
export interface EventQuery extends PageQuery {
  subscriptionId: string | null;
  appKey: string | null;
  type: EventType | null;
}

/**
 * The events that an organization sees, the newest first. `after` is the id of an event.
 * @returns null if the organization does not have the subscription
 */
export async function listEvents(
  db: Db,
  organizationId: string,
  { subscriptionId, appKey, type, limit, after }: EventQuery,
): Promise<{ events: EventView[]; next: string | null } | null> {
  if (subscriptionId !== null && !(await isSubscribed(db, organizationId, subscriptionId))) return null;
  const before = after === null ? null : await sequenceOf(db, organizationId, after);
  if (after !== null && before === null) return { events: [], next: null };
  const rowLimit = pageSize(limit) + 1;
  let subscriptions = rowsOf(db, organizationId);
  if (subscriptionId !== null) subscriptions = subscriptions.where('subscriptions.id', '=', subscriptionId);
  // Limits the rows of each registry to a page, which its index returns in order.
  const rows = await subscriptions
    .innerJoinLateral(
      ({ selectFrom }) => {
        let events = selectFrom('events').selectAll('events').where(IS_VISIBLE);
        if (appKey !== null) events = events.where('events.appKey', '=', storable(appKey));
        if (type !== null) events = events.where('events.type', '=', type);
        if (before !== null) events = events.where('events.sequence', '<', before);
        return events.orderBy('events.sequence', 'desc').limit(rowLimit).as('events');
      },
      (join) => join.onTrue(),
    )
    .select([
      'subscriptions.id as subscriptionId',
      'subscriptions.name',
      'subscriptions.createdAt',
      'events.id',
      'events.at',
      'events.type',
      'events.appKey',
      'events.version',
      'events.data',
    ])
    .orderBy('events.sequence', 'desc')
    .limit(rowLimit)
    .execute();
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  return { events: page.map(viewOf), next };
}

/**
 * The subscriptions of an organization, each with the rows of its registry whose events it sees: the present one, and the
 * other one of the shared row and the organization's own.
 */
function rowsOf(db: Db, organizationId: string) {
  return (
    db
      .selectFrom('subscriptions')
      .innerJoin('registries as present', 'present.id', 'subscriptions.registryId')
      // Each by its unique index.
      .innerJoin('registries', (join) =>
        join.on(
          sql<boolean>`registries.id = ANY(ARRAY[
          (SELECT shared.id FROM registries AS shared WHERE shared.url = present.url AND shared.owner_id IS NULL),
          (SELECT own.id FROM registries AS own
            WHERE own.url = present.url AND own.owner_id = subscriptions.organization_id)])`,
        ),
      )
      .where('subscriptions.organizationId', '=', organizationId)
  );
}

/**
 * The events of a subscription in a row of its registry: not of another subscription, not from before it, and not from
 * the shared row while it has credentials. Those of the shared row once it is confirmed.
 */
const IS_VISIBLE = sql<boolean>`events.registry_id = registries.id
  AND (events.subscription_id IS NULL OR events.subscription_id = subscriptions.id)
  AND events.sequence >= (
    SELECT first_event.sequence FROM events AS first_event
    WHERE first_event.subscription_id = subscriptions.id AND first_event.type = 'subscribed')
  AND (events.subscription_id = subscriptions.id
    OR registries.owner_id IS NOT NULL
    OR registries.id = subscriptions.registry_id AND ${CONFIRMED}
    OR events.sequence <= coalesce(subscriptions.shared_until, 0))`;

async function sequenceOf(db: Db, organizationId: string, id: string): Promise<string | null> {
  if (!isUuid(id)) return null;
  const row = await rowsOf(db, organizationId)
    .innerJoin('events', 'events.registryId', 'registries.id')
    .where('events.id', '=', id)
    .where(IS_VISIBLE)
    .select('events.sequence')
    .executeTakeFirst();
  return row?.sequence ?? null;
}

interface EventRowOfSubscription {
  subscriptionId: string;
  name: string;
  createdAt: Date;
  id: string;
  at: Date;
  type: EventType;
  appKey: string | null;
  version: string | null;
  data: unknown;
}

function viewOf(row: EventRowOfSubscription): EventView {
  const { subscriptionId, name, createdAt, id, at, appKey: app, type, version, data } = row;
  // The column holds what `recordEvents` wrote for this type.
  const event = { type, app, version, data } as NewEvent;
  return eventView(event, { id, at, registry: { id: subscriptionId, name }, since: createdAt });
}

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

/** The same for what happened to one registry at a time. */
export function recordRegistryEvents(tx: Db, registryId: number, at: Date, events: readonly NewEvent[]): Promise<void> {
  return recordEvents(
    tx,
    events.map((event) => ({ ...event, registryId, at })),
  );
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

/** Time for which events are kept, and their number per registry. */
const EVENT_RETENTION: EventRetention = { days: 180, perRegistry: 20_000 };

interface EventRetention {
  days: number;
  perRegistry: number;
}

/** Deletes events that are too old or too many. The start of a subscription is kept as long as the subscription. */
export async function deleteOldEvents(db: Db, { days, perRegistry }: EventRetention = EVENT_RETENTION): Promise<void> {
  await sql`DELETE FROM events WHERE at < now() - make_interval(days => ${days}) AND type <> 'subscribed'`.execute(db);
  await sql`
    DELETE FROM events USING (
      SELECT registries.id, (
        SELECT sequence FROM events WHERE registry_id = registries.id AND subscription_id IS NULL
        ORDER BY sequence DESC OFFSET ${perRegistry} LIMIT 1) AS last_deleted
      FROM registries) AS bounds
    WHERE events.registry_id = bounds.id AND events.sequence <= bounds.last_deleted
      AND events.subscription_id IS NULL`.execute(db);
  // Those of one subscription count separately: they say nothing about others.
  await sql`
    DELETE FROM events USING (
      SELECT id, row_number() OVER (PARTITION BY subscription_id ORDER BY sequence DESC) AS place
      FROM events WHERE subscription_id IS NOT NULL AND type <> 'subscribed') AS placed
    WHERE events.id = placed.id AND placed.place > ${perRegistry}`.execute(db);
}
