import type { AttestationFacts } from '../../core/facts/attestation.ts';

/** Verifies a bundle, without the network. A bundle that is not valid is a fact, not an error. */
export type VerifyBundle = (bundle: Uint8Array) => AttestationFacts;

/** Verifies what was received. Of a bundle that is larger than the limit, only the beginning was. */
export function factsOfBundle(
  { bytes, isCut }: { bytes: Uint8Array; isCut: boolean },
  verify: VerifyBundle,
): AttestationFacts {
  const facts = verify(bytes);
  return isCut ? { ...facts, ...TOO_LARGE } : facts;
}

const TOO_LARGE: Omit<AttestationFacts, 'bytes' | 'sha256' | 'root'> = {
  failure: { cause: 'form', code: 'too-large' },
  signer: null,
  signedAt: null,
  log: [],
  content: null,
};
