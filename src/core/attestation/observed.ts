import type { ObservedAttestation } from '../facts/attestation.ts';
import { isMissing, type Missing } from '../facts/missing.ts';

/** True for an attestation that was verified when it was observed; what it says was not judged. */
export function isVerified(observed: ObservedAttestation | Missing | undefined): boolean {
  if (observed === undefined || isMissing(observed)) return false;
  return observed.state === 'present' && observed.facts.failure === null;
}

/**
 * True if nothing is known about the attestation of an artifact that was observed: the host did not respond as it
 * should, or the trusted root is too old. Such a version is not offered yet if attestations are required.
 */
export function isUndecided(observed: ObservedAttestation | Missing | undefined): boolean {
  if (observed === undefined) return true;
  if (isMissing(observed)) return observed.intentional !== true && observed.missing.code !== 'blocked-by';
  return observed.state === 'present' && observed.facts.failure?.cause === 'root-outdated';
}
