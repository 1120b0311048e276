import { sql } from 'kysely';
import { eventView } from './event-view.ts';
import type { EventType, EventView, NewEvent } from './events.ts';
import type { Db } from '../database/database.ts';
import { storable } from '../database/packed.ts';
import { type PageQuery, pageOf, pageSize } from '../database/page.ts';
import { CONFIRMED } from '../database/sql-fragments.ts';
import { isSubscribed } from '../registries/subscriptions-store.ts';
import { isUuid } from '../database/uuid.ts';

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
