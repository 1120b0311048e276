import type { SubscribedVersion } from '../facts/facts.ts';

/** True for a version that the service never verified: a corrected listing replaces it. */
export function isReplaceable({ state, verifiedAt }: SubscribedVersion): boolean {
  return state === 'pending' || (state !== 'verified' && verifiedAt === null);
}
