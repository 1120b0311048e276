import { defineRule } from '../rule.ts';
import { attestationEvidence, severityFor } from '../attestation-problem.ts';

export const attestationIdentity = defineRule({
  id: 'attestation-identity',
  title: 'Attestation of another signer',
  on: 'attestation',
  needs: ['observed', 'problem', 'isRequired'],
  severity: 'error',
  spec: null,
  symptom: null,
  owner: 'author',
  causes: {
    key: { title: 'Another key signed, or an identity in place of a key' },
    issuer: { title: 'Another OIDC issuer confirmed the identity' },
    identity: { title: 'Another workflow or person signed' },
    repository: { title: 'The workflow is that of another repository' },
  },
  failsWhen:
    'the attestation is valid, but its signer is not the expected one (--key, or --issuer, --identity and --repository). Unless attestations are required, this is a warning',
  why: 'Every user of Sigstore can sign: only the expected signer proves that the vendor built the artifact.',
  examples: {
    bad: `listed: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
subject: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
signer: https://github.com/mallory/apps
expected: https://github.com/acme/apps`,
    good: `listed: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
subject: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
signer: https://github.com/acme/apps
expected: https://github.com/acme/apps`,
  },
  check({ observed, problem, isRequired }) {
    if (problem?.rule !== 'attestation-identity') return null;
    const { cause, message, advice } = problem;
    return { cause, message, advice, evidence: attestationEvidence(observed), ...severityFor(isRequired) };
  },
});
