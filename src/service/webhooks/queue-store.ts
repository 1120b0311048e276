import { sql } from 'kysely';
import { groupBy } from '../../report/group-by.ts';
import { eventView } from '../history/event-view.ts';
import type { RecordedEvent } from '../history/events.ts';
import { webhookBody, type WebhookEventType } from './events.ts';
import type { Db } from '../database/database.ts';
import { COUNT } from '../database/sql-fragments.ts';

/** Queues what happens for the webhooks that want it, in the transaction of the event. */

/** Maximum deliveries of one webhook that wait. */
export const PENDING_LIMIT = 10_000;
/** Rows per statement. */
const BATCH_SIZE = 1000;

interface NewDelivery {
  webhookId: string;
  type: WebhookEventType;
  body: string;
}

/** @param tx the transaction in which the events are recorded */
export async function queueEvents(tx: Db, events: readonly RecordedEvent[]): Promise<void> {
  const registryIds = [...new Set(events.map(({ registryId }) => registryId))];
  if (registryIds.length === 0) return;
  const receivers = await tx
    .selectFrom('webhooks')
    .innerJoin('subscriptions', 'subscriptions.organizationId', 'webhooks.organizationId')
    .where('subscriptions.registryId', 'in', registryIds)
    .where('webhooks.enabled', '=', true)
    .select([
      'webhooks.id as webhookId',
      'webhooks.events',
      'subscriptions.id as subscriptionId',
      'subscriptions.name',
      'subscriptions.registryId',
      'subscriptions.createdAt',
      'subscriptions.confirmedAt',
    ])
    .execute();
  const deliveries = receivers.flatMap((receiver) =>
    events
      .filter((event) => isFor(event, receiver))
      .filter(({ type }) => receiver.events === null || receiver.events.includes(type))
      .map((event) => deliveryOf(event, receiver)),
  );
  await insertDeliveries(tx, deliveries);
}

/** A webhook, and a subscription of its organization. */
interface Receiver {
  webhookId: string;
  subscriptionId: string;
  name: string;
  registryId: number;
  createdAt: Date;
  confirmedAt: Date | null;
}

/** The same condition as for the list of events: those of a subscription alone, or of a registry that is confirmed for it. */
function isFor(event: RecordedEvent, { registryId, subscriptionId, confirmedAt }: Receiver): boolean {
  if (event.registryId !== registryId) return false;
  return event.subscriptionId === undefined ? confirmedAt !== null : event.subscriptionId === subscriptionId;
}

function deliveryOf(recorded: RecordedEvent, { webhookId, subscriptionId, name, createdAt }: Receiver): NewDelivery {
  const { id, registryId: _, subscriptionId: __, at, ...event } = recorded;
  const view = eventView(event, { id, at, registry: { id: subscriptionId, name }, since: createdAt });
  return { webhookId, type: event.type, body: webhookBody(event.type, new Date(view.time), view) };
}

/** Tells the other webhooks of the organization that one was disabled. */
export async function queueWebhookDisabled(
  tx: Db,
  organizationId: string,
  webhook: { id: string; url: string; reason: string },
): Promise<void> {
  const others = await tx
    .selectFrom('webhooks')
    .where('organizationId', '=', organizationId)
    .where('enabled', '=', true)
    .where(sql<boolean>`coalesce('webhook-disabled' = ANY(events), TRUE)`)
    .select('id')
    .execute();
  const type = 'webhook-disabled';
  const body = webhookBody(type, new Date(), { webhook, message: `The webhook ${webhook.url} was disabled.` });
  await insertDeliveries(
    tx,
    others.map(({ id }) => ({ webhookId: id, type, body })),
  );
}

/** Inserts deliveries as far as their webhooks have room, and counts the others. */
async function insertDeliveries(tx: Db, deliveries: readonly NewDelivery[]): Promise<void> {
  for (const [webhookId, list] of groupBy(deliveries, (delivery) => delivery.webhookId)) {
    const room = Math.max(0, PENDING_LIMIT - (await countPending(tx, webhookId)));
    const queued = list.slice(0, room);
    for (let start = 0; start < queued.length; start += BATCH_SIZE)
      await tx
        .insertInto('webhookDeliveries')
        .values(queued.slice(start, start + BATCH_SIZE))
        .execute();
    const dropped = list.length - queued.length;
    if (dropped > 0)
      await tx
        .updateTable('webhooks')
        .set({ dropped: sql<number>`dropped + ${dropped}` })
        .where('id', '=', webhookId)
        .execute();
  }
}

async function countPending(tx: Db, webhookId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('webhookDeliveries')
    .where('webhookId', '=', webhookId)
    .where('state', '=', 'pending')
    .select(COUNT)
    .executeTakeFirstOrThrow();
  return count;
}
