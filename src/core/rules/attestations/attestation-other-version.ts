import { defineRule } from '../rule.ts';
import { attestationEvidence, severityFor } from '../attestation-problem.ts';

export const attestationOtherVersion = defineRule({
  id: 'attestation-other-version',
  title: 'Attestation of another version',
  on: 'attestation',
  needs: ['observed', 'problem', 'isRequired'],
  severity: 'error',
  spec: null,
  symptom: null,
  owner: 'author',
  failsWhen:
    'the attestation is for the bytes of the artifact, but names another app or version. Unless attestations are required, this is a warning',
  why: 'Old bytes with a known weakness could otherwise be published again as a new version, with the attestation of the old one.',
  examples: {
    bad: `listed: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
subject: clock@1.0.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b`,
    good: `listed: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
subject: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b`,
  },
  check({ observed, problem, isRequired }) {
    if (problem?.rule !== 'attestation-other-version') return null;
    const { message, advice } = problem;
    return { message, advice, evidence: attestationEvidence(observed), ...severityFor(isRequired) };
  },
});
