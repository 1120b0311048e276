import type { Service } from '../context.ts';
import type { Actor } from '../history/audit-actions.ts';
import type { SubscriptionPolicy } from './policy.ts';
import { setAttestationPolicy } from './policy-store.ts';

/**
 * Sets what a subscription requires of attestations; the registry is checked soon, since they may not be known yet.
 * @returns the policy; null if the organization does not have the subscription
 */
export async function setPolicy(
  service: Pick<Service, 'db' | 'requestRefresh'>,
  target: { organizationId: string; subscriptionId: string; actor: Actor },
  policy: SubscriptionPolicy,
): Promise<SubscriptionPolicy | null> {
  const set = await setAttestationPolicy(service.db, target, policy);
  if (set === null) return null;
  if (set.changed) await service.requestRefresh(set.registryId);
  return policy;
}
