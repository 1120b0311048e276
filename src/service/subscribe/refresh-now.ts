import type { Actor } from '../audit-actions.ts';
import type { Service } from '../context.ts';
import { recordAudit } from '../storage/audit.ts';
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
  actor: Actor,
): Promise<boolean | null> {
  const registry = await registryOf(service.db, organizationId, subscriptionId);
  if (registry === null) return null;
  const needed = registry.checkedAt === null || Date.now() - registry.checkedAt.getTime() >= RECENT;
  if (needed) {
    const target = { id: subscriptionId, name: registry.name };
    await recordAudit(service.db, { organizationId, actor, action: 'registry-refresh-requested', target });
    await service.requestRefresh(registry.id);
  }
  return needed;
}
