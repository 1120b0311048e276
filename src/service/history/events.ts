import { type EventData, eventMessage, type EventType } from './event-types.ts';

/** Events: the history of a subscription, its registry and its apps, for the API, the pages and webhooks. */

/** One event, before it has an id. */
export type NewEvent = {
  [Type in EventType]: { type: Type; app: string | null; version: string | null; data: EventData[Type] };
}[EventType];

/** An event that is to be recorded: what happened, when, and to which registry. */
export type EventToRecord = NewEvent & {
  registryId: number;
  /** The subscription, if the event is about a single one. */
  subscriptionId?: string;
  at: Date;
};

export type RecordedEvent = EventToRecord & { id: string };

/** An event, as subscribers see it. */
export type EventView = NewEvent & {
  id: string;
  /** ISO 8601. */
  time: string;
  /** The subscription. */
  registry: { id: string; name: string };
  /** For people. */
  message: string;
};

/** An event about a registry or an app as a whole. */
export function registryEvent<Type extends EventType>(
  type: Type,
  data: EventData[Type],
): { type: Type; app: null; version: null; data: EventData[Type] } {
  return { type, app: null, version: null, data };
}

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
