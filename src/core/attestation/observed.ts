import { isMissing, type Missing } from '../facts/missing.ts';
import type { Digest } from '../scalars.ts';
import type { AttestationFacts } from './facts.ts';
import type { SignerPolicy } from './policy.ts';

/** What is at the URL of the attestation of an artifact, and what a check requires of it. */
export type ObservedAttestation = AbsentAttestation | PresentAttestation;

/** There is none: the host has no such file. */
interface AbsentAttestation {
  state: 'absent';
}

interface PresentAttestation {
  state: 'present';
  facts: AttestationFacts;
  /** The bill of materials beside the artifact; absent if the attestation does not name one. */
  bill?: ObservedBill | Missing;
}

export interface ObservedBill {
  /** Null if the host has none. */
  sha256: Digest | null;
}

/** How a check judges attestations. */
export interface AttestationRequirement {
  /**
   * `report`: what they do not prove is a warning; `require`: it is an error, and a version without a valid attestation is
   * not offered.
   *
   * @asType string
   */
  mode: 'report' | 'require';
  /** Null: any signer, so that an attestation does not prove who built the artifact. */
  signer: SignerPolicy | null;
}

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
