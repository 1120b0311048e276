import { defineRule, explainedBy } from '../rule.ts';
import type { artifactChanged } from '../history/artifact-changed.ts';
import { attestationEvidence, severityFor } from '../attestation-problem.ts';

export const attestationInvalid = defineRule({
  id: 'attestation-invalid',
  title: 'Attestation that proves nothing',
  on: 'attestation',
  needs: ['observed', 'problem', 'isRequired'],
  severity: 'error',
  spec: null,
  symptom: null,
  owner: 'author',
  causes: {
    form: { title: 'The file is not a Sigstore bundle with an in-toto statement' },
    signature: { title: 'The signature is not valid' },
    certificate: { title: 'The certificate, or the time of the signature, is not proved' },
    log: { title: 'The inclusion in a transparency log is not proved' },
    digest: { title: 'The attestation is for other bytes' },
    build: { title: 'The statement does not say how the artifact was built, or in a way that is not known' },
    'root-outdated': { title: 'The trusted root of this check is too old', owner: 'user' },
  },
  supersededBy: [
    {
      ...explainedBy<typeof artifactChanged>(
        'artifact-changed',
        'The attestation is for the checksum that was published, which that finding says to restore',
      ),
      only: ['digest'],
    },
  ],
  failsWhen:
    'the file beside the artifact is not a valid attestation of its bytes. Unless attestations are required, this is a warning; a trusted root that is too old is always a warning, since it says nothing about the artifact',
  why: 'It does not say who built the artifact. It may be the attestation of bytes that were replaced, or made by an attacker.',
  examples: {
    bad: `listed: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
subject: clock@1.2.0 sha256:a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447`,
    good: `listed: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
subject: clock@1.2.0 sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b`,
  },
  check({ observed, problem, isRequired }) {
    if (problem?.rule !== 'attestation-invalid') return null;
    const { cause, message, advice } = problem;
    const evidence = attestationEvidence(observed);
    return cause === 'root-outdated'
      ? // One root verifies all attestations of a run.
        { cause, message, advice, evidence, severity: 'warning' as const, dedupeKey: 'trusted root' }
      : { cause, message, advice, evidence, ...severityFor(isRequired) };
  },
});
