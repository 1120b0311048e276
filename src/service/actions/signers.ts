import { type Service } from '../context.ts';
import { type Actor } from '../domain/audit.ts';
import { type SubscriptionPolicy } from '../domain/signers.ts';
import { type DecideSubscription, setAttestationPolicy } from '../db/signers.ts';

/**
 * Sets what a subscription requires of attestations; the registry is checked soon, since they may not be known yet.
 * @param decide what the policy of versions decides, since it may depend on the signer
 * @returns the policy; null if the organization does not have the subscription
 */
export async function setPolicy(
  service: Pick<Service, 'db' | 'requestRefresh'>,
  target: { organizationId: string; subscriptionId: string; actor: Actor },
  policy: SubscriptionPolicy,
  decide: DecideSubscription,
): Promise<SubscriptionPolicy | null> {
  const set = await setAttestationPolicy(service.db, target, policy, decide);
  if (set === null) return null;
  if (set.changed) await service.requestRefresh(set.registryId);
  return policy;
}
