import { eventMessage } from './event-messages.ts';
import type { EventView, NewEvent } from './events.ts';

/**
 * An event as a subscription sees it, in the API, on the pages and in webhooks.
 * @param place.since when the organization subscribed: earlier times are given as this one, since they would reveal other
 *   subscribers
 */
export function eventView(
  event: NewEvent,
  { id, at, registry, since }: { id: string; at: Date; registry: EventView['registry']; since: Date },
): EventView {
  const seen = withTimesSince(event, since.toISOString());
  const time = at < since ? since : at;
  return { id, time: time.toISOString(), registry, message: eventMessage(seen), ...seen };
}

function withTimesSince(event: NewEvent, since: string): NewEvent {
  if (event.type !== 'recovered' || event.data.failingSince >= since) return event;
  return { ...event, data: { failingSince: since } };
}
