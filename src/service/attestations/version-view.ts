import type { AttestationProblem } from '../../core/attestation/judge.ts';
import type { SignerRequirement } from './policy.ts';
import { buildOf } from '../../core/attestation/build.ts';
import type { AttestationView } from './schema.ts';
import { type Decision, type Evidence, type PinnedVersion, verdictOf } from './verdict.ts';

/**
 * The attestation of a version, as a subscription sees it. Pure.
 * @param known what is known about it, and what was decided; null if the subscription does not require attestations
 */
export function attestationView(
  version: PinnedVersion,
  signer: SignerRequirement,
  { evidence, decision }: { evidence: Evidence | null; decision: Decision | null },
): AttestationView {
  const verdict = verdictOf(evidence, version, signer);
  const own = decision?.checksum === version.checksum ? decision : null;
  const held = own?.decision === 'held' && own.heldSince !== null ? { since: own.heldSince.toISOString() } : null;
  return {
    state: verdict.state,
    reason: 'problem' in verdict && verdict.problem !== null ? reasonOf(verdict.problem) : null,
    build: verdict.state === 'verified' ? buildOf(verdict.facts) : null,
    held,
    offeredBefore: own?.decision === 'offered-before',
  };
}

function reasonOf({ rule, cause, message, advice }: AttestationProblem): AttestationView['reason'] {
  return { rule, cause, message, advice };
}
