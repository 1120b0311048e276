import { message } from '../../text/message.ts';
import { defineRule, explainedBy } from '../rule.ts';
import type { attestationLost } from './attestation-lost.ts';

export const attestationMissing = defineRule({
  id: 'attestation-missing',
  title: 'Artifact without an attestation',
  on: 'attestation',
  needs: ['observed', 'isRequired'],
  severity: 'error',
  spec: null,
  symptom: null,
  owner: 'author',
  supersededBy: [
    explainedBy<typeof attestationLost>(
      'attestation-lost',
      'That finding also says that there is none, and which version had one',
    ),
  ],
  failsWhen:
    'attestations are required (--attestations require), and the host has none beside the artifact: it responds with 404, 403, 410 or a web page',
  why: 'Without a signed statement, nothing says who built the artifact, and from which commit: an attacker who controls the host can replace it, and its checksum.',
  examples: {
    bad: `$ curl -sI https://apps.example.com/clock/1.2.0.tar.gz.sigstore.json
HTTP/2 404`,
    good: `$ curl -sI https://apps.example.com/clock/1.2.0.tar.gz.sigstore.json
HTTP/2 200`,
  },
  check({ observed, isRequired }) {
    if (!isRequired || observed.state !== 'absent') return null;
    return {
      message: message`The artifact has no attestation.`,
      advice: message`Publish versions with --attest or --attest-key-env. An attestation of a published version may be added beside its artifact later.`,
    };
  },
});
