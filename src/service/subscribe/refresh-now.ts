import type { Service } from '../context.ts';
import { registryOf } from '../storage/subscriptions.ts';

/**
 * Milliseconds within which a registry is not refreshed again: it is shared, so a recent check applies to all
 * subscribers.
 */
const RECENT = 60_000;

/** Requests a refresh. @returns whether one was needed; null if the organization does not have the subscription */
export async function refreshNow(
  service: Pick<Service, 'db' | 'requestRefresh'>,
  organizationId: string,
  subscriptionId: string,
): Promise<boolean | null> {
  const registry = await registryOf(service.db, organizationId, subscriptionId);
  if (registry === null) return null;
  const needed = registry.checkedAt === null || Date.now() - registry.checkedAt.getTime() >= RECENT;
  if (needed) await service.requestRefresh(registry.id);
  return needed;
}
