import { EVENT_TYPES } from '../history/events.ts';

/** What webhooks are sent: the events of registries, and those about webhooks themselves. */

/** The types that a webhook can be restricted to. */
export const WEBHOOK_EVENT_TYPES = [...EVENT_TYPES, 'webhook-disabled'] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number] | 'test';

export function isWebhookEventType(text: string): boolean {
  return WEBHOOK_EVENT_TYPES.some((type) => type === text);
}

/** Registries say what is in an event; longer texts are shortened. */
const LONGEST_TEXT = 2000;

/** The body that is sent for an event: the same at every attempt. */
export function webhookBody(type: WebhookEventType, at: Date, data: object): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data }, (_, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT - 1)}…` : value,
  );
}
