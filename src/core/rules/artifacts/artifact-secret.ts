import { type ContentScan, isMissing, type SecretPlace } from '../../facts/facts.ts';
import { shorten } from '../../text/text.ts';
import { defineRule, type Problem } from '../rule.ts';
import { artifactChecksumMismatch } from './artifact-checksum-mismatch.ts';

/** The number of secrets in the message, and of further ones in the evidence. */
const NAMED = 4;
const SHOWN = 20;

export const artifactSecret = defineRule({
  id: 'artifact-secret',
  on: 'artifact',
  needs: ['facts', 'scan'],
  severity: 'error',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  supersededBy: [artifactChecksumMismatch],
  failsWhen:
    'a file in the archive contains a private key, a token of a known service, a password in a URL, an .env file with values, or credentials of npm; also inside inline source maps. Placeholders such as ${NPM_TOKEN} do not count. An artifact that is already served is a warning; bundle, publish-version and release refuse it (--allow-secret <fingerprint> allows one value)',
  why: 'All subscribers can unpack an artifact, and a published version is never taken back: the secret has to be revoked.',
  examples: {
    bad: '$ tar -xOzf clock-1.0.0.tar.gz .env\nAPI_TOKEN=9b1f4c77d2e05a68',
    good: '$ tar -xOzf clock-1.0.0.tar.gz .env.example\nAPI_TOKEN=',
  },
  check({ facts, scan }) {
    const [first] = scan.secrets;
    return first === undefined ? null : secretProblem(first, scan, !isMissing(facts.web));
  },
});

/** @param isServed whether the artifact was fetched from its URL, so that others may have it */
function secretProblem(first: SecretPlace, { secrets, secretCount }: ContentScan, isServed: boolean): Problem<never> {
  const { kind, entry, line, fingerprint } = first;
  const rest = secretCount - Math.min(secrets.length, NAMED);
  const named = secrets.slice(0, NAMED).map((one) => `${one.kind} in ${placeOf(one)} (fingerprint ${one.fingerprint})`);
  const others = secrets.slice(1, SHOWN + 1).map((one) => `${one.kind} ${placeOf(one)} ${one.fingerprint}`);
  return {
    message: `The artifact contains ${secretCount === 1 ? 'a secret' : `${secretCount} secrets`}: ${named.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`,
    advice: isServed
      ? 'Revoke the secret at the service that issued it: the artifact is public, and withdrawing the version does not undo that. Then publish a version without it.'
      : 'Remove it, and let the app read it from its settings at run time. If it was published or committed before, revoke it. If it is not a secret: --allow-secret <fingerprint> of the command that publishes, or an exception in the configuration.',
    evidence: { kind, entry, line, fingerprint, ...(others.length > 0 && { secrets: secretCount, others }) },
    ...(isServed && { severity: 'warning' as const }),
  };
}

function placeOf({ entry, line }: SecretPlace): string {
  return `${shorten(entry, 100)}:${line}`;
}
