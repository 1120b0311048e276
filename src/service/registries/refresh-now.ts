import type { Actor } from '../history/audit-actions.ts';
import type { Service } from '../context.ts';
import { requestArtifactCheck } from '../refresh/artifact-checks-store.ts';
import { recordAudit } from '../history/audit-store.ts';
import { registryOf } from './subscriptions-store.ts';

/**
 * Requests a refresh that asks for every offered artifact, soon after the last one ended.
 * @returns whether this request caused it, and not an earlier one of the organization; null if the organization does not have the
 * subscription
 */
export async function refreshNow(
  service: Pick<Service, 'db' | 'requestRefresh'>,
  organizationId: string,
  subscriptionId: string,
  actor: Actor,
): Promise<boolean | null> {
  const registry = await registryOf(service.db, organizationId, subscriptionId);
  if (registry === null) return null;
  const isFirst = await requestArtifactCheck(service.db, registry.id, subscriptionId);
  if (isFirst) {
    const target = { id: subscriptionId, name: registry.name };
    await recordAudit(service.db, { organizationId, actor, action: 'registry-refresh-requested', target });
  }
  await service.requestRefresh(registry.id);
  return isFirst;
}
