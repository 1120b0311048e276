import { type Service } from '../context.ts';
import { type Actor } from '../domain/audit.ts';
import { type SubscriptionPolicy } from '../domain/signers.ts';
import { setAttestationPolicy } from '../db/signers.ts';

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
