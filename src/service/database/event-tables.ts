import type { ColumnType, Generated } from 'kysely';
import type { EventType } from '../history/events.ts';

/** What happened to a registry and its apps (history/events.ts). */
export interface EventRow {
  /** In the order of recording. It is not shown: it would reveal how much happens in other registries. */
  sequence: ColumnType<string, never, never>;
  id: Generated<string>;
  registryId: number;
  /** The subscription, if the event is about a single one; null for an event that all subscribers see. */
  subscriptionId: string | null;
  at: Date;
  type: EventType;
  appKey: string | null;
  version: string | null;
  /** EventData of the type; written as JSON. */
  data: ColumnType<unknown, string, never>;
}
