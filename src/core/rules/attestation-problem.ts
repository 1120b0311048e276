import type { ObservedAttestation } from '../facts/attestation.ts';
import type { Evidence } from '../values/evidence.ts';

/** Common parts of the rules about attestations. */

/** A missing requirement is an error, and anything else a warning. */
export function severityFor(isRequired: boolean): { severity?: 'warning' } {
  return isRequired ? {} : { severity: 'warning' };
}

/** Who signed what, as far as it was verified, and the date of the trusted root. */
export function attestationEvidence(observed: ObservedAttestation): Evidence {
  if (observed.state === 'absent') return {};
  const { signer, content, root, sha256 } = observed.facts;
  const subjects = content?.kind === 'statement' ? content.statement.subjects.map(({ name }) => name) : [];
  const certificate = signer?.kind === 'certificate' ? signer : null;
  return {
    bundle: `sha256:${sha256}`,
    trustedRoot: root.date,
    ...(subjects.length > 0 && { subjects: subjects.slice(0, 5) }),
    ...(signer?.kind === 'key' && { key: `sha256:${signer.sha256}` }),
    ...(certificate && {
      issuer: certificate.issuer,
      identity: certificate.identity,
      repository: certificate.repository,
      commit: certificate.commit,
    }),
  };
}
