import type { SignerRequirement } from './policy.ts';
import { buildOf } from '../../core/attestation/build.ts';
import type { AttestationView } from './schema.ts';
import { type Decision, type Evidence, type PinnedVersion, type Verdict, verdictOf } from './verdict.ts';

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
    // As in `verify`, it is not known.
    state: verdict.state === 'url-signed' ? 'pending' : verdict.state,
    reason: reasonOf(verdict),
    build: verdict.state === 'verified' ? buildOf(verdict.facts) : null,
    held,
    offeredBefore: own?.decision === 'offered-before',
  };
}

function reasonOf(verdict: Verdict): AttestationView['reason'] {
  if (verdict.state === 'url-signed') return URL_SIGNED;
  if (!('problem' in verdict) || verdict.problem === null) return null;
  const { rule, cause, message, advice } = verdict.problem;
  return { rule, cause, message, advice };
}

const URL_SIGNED: AttestationView['reason'] = {
  rule: 'attestation-missing',
  cause: 'url-signed',
  message:
    'The URL of the artifact is signed by its query, which is not valid for an attestation beside it: it cannot be requested.',
  advice: 'Ask the vendor to list URLs without a signature, or set the policy of the registry to report.',
};
