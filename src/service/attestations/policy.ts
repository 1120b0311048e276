import type { SignerPolicy } from '../../core/attestation/policy.ts';
import type { Digest } from '../../core/scalars.ts';

/** What a subscription requires of the attestations of its registry. */

/**
 * `off`: attestations are not fetched. `report`: they are shown. `require`: only versions with a valid one are offered,
 * and those that were offered before.
 */
export const ATTESTATION_MODES = ['off', 'report', 'require'] as const;
export type AttestationMode = (typeof ATTESTATION_MODES)[number];

/** Who has to have signed: the holder of a key, or an identity that a certificate authority confirmed. */
export type SignerRequirement = KeyRequirement | IdentityRequirement;

interface KeyRequirement {
  /** PEM, ECDSA P-256. */
  publicKey: string;
  keySha256: Digest;
}

interface IdentityRequirement {
  issuer: string;
  /** One of both is not null. */
  identity: string | null;
  repository: string | null;
}

export type SubscriptionPolicy = { mode: 'off' } | { mode: 'report' | 'require'; signer: SignerRequirement };

export const ATTESTATIONS_OFF: SubscriptionPolicy = { mode: 'off' };

export function policyOf(mode: AttestationMode, signer: SignerRequirement | null): SubscriptionPolicy {
  return mode === 'off' || signer === null ? ATTESTATIONS_OFF : { mode, signer };
}

/** The same for a judge of attestations. */
export function signerPolicy(signer: SignerRequirement): SignerPolicy {
  if ('publicKey' in signer) return { key: signer.keySha256 };
  const { issuer, identity, repository } = signer;
  return { issuer, identity, repository };
}

/** The digest of the key that attestations are verified with; '' without a key. */
export function keyOf(signer: SignerRequirement): string {
  return 'publicKey' in signer ? signer.keySha256 : '';
}

/** Maximum characters of an identity. */
export const LONGEST_IDENTITY = 1000;
/** Maximum characters of a public key; one on the curve P-256 has 180. */
export const LONGEST_KEY = 1000;
