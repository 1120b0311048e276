import { sql } from 'kysely';
import { eventMessage } from '../event-messages.ts';
import type { EventType, EventView, NewEvent } from '../events.ts';
import type { Db } from './database.ts';
import { storable } from './packed.ts';
import { type Page, pageOf, pageSize } from './page.ts';
import { isSubscribed } from './subscriptions.ts';
import { isUuid } from './uuid.ts';

/**
 * The history of registries. A registry is shared, and so are its events, except those of one subscription. An
 * organization sees what happened from its own subscription on: what was before would reveal other subscribers.
 */

/** Which events of an organization are listed; null for all. */
export interface EventQuery extends Page {
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
  const most = pageSize(limit) + 1;
  let subscriptions = db.selectFrom('subscriptions as s').where('s.organizationId', '=', organizationId);
  if (subscriptionId !== null) subscriptions = subscriptions.where('s.id', '=', subscriptionId);
  // Limits the rows of each registry to a page, which its index returns in order.
  const rows = await subscriptions
    .innerJoinLateral(
      ({ selectFrom }) => {
        let events = selectFrom('events as e').selectAll('e').where(IS_VISIBLE);
        if (appKey !== null) events = events.where('e.appKey', '=', storable(appKey));
        if (type !== null) events = events.where('e.type', '=', type);
        if (before !== null) events = events.where('e.sequence', '<', before);
        return events.orderBy('e.sequence', 'desc').limit(most).as('e');
      },
      (join) => join.onTrue(),
    )
    .select(['s.id as subscription', 's.name', 'e.id', 'e.at', 'e.type', 'e.appKey', 'e.version', 'e.data'])
    .orderBy('e.sequence', 'desc')
    .limit(most)
    .execute();
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  return { events: page.map(viewOf), next };
}

/** The events `e` of a subscription `s`: of its registry, not of another subscription, and not from before it. */
const IS_VISIBLE = sql<boolean>`e.registry_id = s.registry_id
  and (e.subscription_id is null or e.subscription_id = s.id)
  and e.sequence >= (select first.sequence from events first where first.subscription_id = s.id and first.type = 'subscribed')`;

async function sequenceOf(db: Db, organizationId: string, id: string): Promise<string | null> {
  if (!isUuid(id)) return null;
  const row = await db
    .selectFrom('subscriptions as s')
    .innerJoin('events as e', 'e.registryId', 's.registryId')
    .where('s.organizationId', '=', organizationId)
    .where('e.id', '=', id)
    .where(IS_VISIBLE)
    .select('e.sequence')
    .executeTakeFirst();
  return row?.sequence ?? null;
}

interface EventRowOfSubscription {
  subscription: string;
  name: string;
  id: string;
  at: Date;
  type: EventType;
  appKey: string | null;
  version: string | null;
  data: unknown;
}

function viewOf({ subscription, name, id, at, appKey: app, type, version, data }: EventRowOfSubscription): EventView {
  // The column holds what `recordEvents` wrote for this type.
  const event = { type, app, version, data } as NewEvent;
  const registry = { id: subscription, name };
  return { id, time: at.toISOString(), registry, message: eventMessage(event), ...event };
}
