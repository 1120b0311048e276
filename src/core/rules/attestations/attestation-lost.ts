import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';
import { severityFor } from '../attestation-problem.ts';

export const attestationLost = defineRule({
  id: 'attestation-lost',
  title: 'Attestation that an earlier version had',
  on: 'attestation',
  needs: ['observed', 'attestedBefore', 'isRequired'],
  severity: 'error',
  spec: null,
  symptom: null,
  owner: 'author',
  causes: {
    removed: { title: 'The version had an attestation, which was removed' },
    'not-continued': { title: 'A lower version of the app has an attestation' },
  },
  failsWhen:
    'an artifact has no attestation, and a lower version of the app has a valid one, or this version had one in the state of --against. Unless attestations are required, this is a warning',
  why: 'An attacker who cannot sign publishes without an attestation, or removes it. A vendor who signed before has no reason to stop.',
  examples: {
    bad: `$ curl -sI https://apps.example.com/clock/1.1.0.tar.gz.sigstore.json
HTTP/2 200
$ curl -sI https://apps.example.com/clock/1.2.0.tar.gz.sigstore.json
HTTP/2 404`,
    good: `$ curl -sI https://apps.example.com/clock/1.1.0.tar.gz.sigstore.json
HTTP/2 404
$ curl -sI https://apps.example.com/clock/1.2.0.tar.gz.sigstore.json
HTTP/2 404`,
  },
  check({ observed, attestedBefore, isRequired }) {
    if (observed.state !== 'absent' || attestedBefore === null) return null;
    const { version, isSame } = attestedBefore;
    return isSame
      ? {
          ...severityFor(isRequired),
          cause: 'removed',
          message: message`The artifact has no attestation, but it had one when it was published.`,
          advice: message`Restore the attestation that was published: it is never changed or removed. Ask the vendor why it was removed.`,
          evidence: { attested: version },
        }
      : {
          ...severityFor(isRequired),
          cause: 'not-continued',
          message: message`The artifact has no attestation, but version ${safeExcerpt(version, 60)} has one.`,
          advice: message`Add the attestation of this version beside its artifact. If another party published it, withdraw it.`,
          evidence: { attested: version },
        };
  },
});
