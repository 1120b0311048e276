import type { ServiceFinding, SubscribedVersion } from '../facts/facts.ts';

/**
 * The setting of the service that kept it from sending a request, by the finding that reports it; null if the host
 * answered, or could not be reached (which a service does not distinguish from an address that it may not request).
 */
export function policyBehind({ rule, cause }: ServiceFinding): 'port' | 'insecure' | null {
  if (rule === 'unreachable' && cause === 'port-refused') return 'port';
  if (rule === 'unreachable' && cause === 'insecure-refused') return 'insecure';
  return rule === 'url-insecure' || rule === 'redirect-insecure' ? 'insecure' : null;
}

/** True for a version that the service never verified: a corrected listing replaces it. */
export function isReplaceable({ state, verifiedAt }: SubscribedVersion): boolean {
  return state === 'pending' || (state !== 'verified' && verifiedAt === null);
}
