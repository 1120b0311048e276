import { message, type SafeText } from '../../text/message.ts';
import { type ContentScan, isMissing, type SecretPlace } from '../../facts/facts.ts';
import { shorten } from '../../text/text.ts';
import type { Evidence } from '../../engine/report.ts';
import { defineRule, type Problem } from '../rule.ts';

/** The number of secrets in the message; the others are in the evidence. */
const NAMED = 4;

export const artifactSecret = defineRule({
  id: 'artifact-secret',
  title: 'Secret in an artifact',
  on: 'artifact',
  needs: ['facts', 'scan', 'isPublishing'],
  severity: 'error',
  spec: '2.4',
  symptom: null,
  refusesVersion: false,
  owner: 'author',
  failsWhen:
    'a file in the archive contains a private key, a token of a known service, a password in a URL, an .env file with values, or npm credentials; also inside inline source maps, and in the names of files. Placeholders such as ${NPM_TOKEN} do not count. An artifact that is already served is a warning; bundle, publish-version and release refuse it (--allow-secret <fingerprint> allows one value)',
  why: 'All subscribers can unpack an artifact, and a published version cannot be taken back: the secret must be revoked.',
  examples: {
    bad: '$ tar -xOzf clock-1.0.0.tar.gz .env\nAPI_TOKEN=9b1f4c77d2e05a68',
    good: '$ tar -xOzf clock-1.0.0.tar.gz .env.example\nAPI_TOKEN=',
  },
  check({ facts, scan, isPublishing }) {
    if (scan.secretCount === 0) return null;
    return secretProblem(scan, { isServed: !isMissing(facts.web), isPublishing });
  },
});

const REVOKE_ONE = message`Revoke the secret at the service that issued it: the artifact is public, and withdrawing the version does not undo that. Then publish a version without it.`;
const REVOKE_ALL = message`Revoke the secrets at the services that issued them: the artifact is public, and withdrawing the version does not undo that. Then publish a version without them.`;
const REMOVE_ONE =
  'Remove it, and let the app read it from its settings at run time. If it was published or committed before, revoke it. If it is not a secret, use';
const REMOVE_ALL =
  'Remove them, and let the app read them from its settings at run time. Revoke those that were published or committed before. If one is not a secret, use';

interface Stage {
  /** Whether the artifact was fetched from its URL, so that others may have it. */
  isServed: boolean;
  isPublishing: boolean;
}

function secretProblem({ secrets, secretCount, stopped }: ContentScan, stage: Stage): Problem<never> {
  const [first] = secrets;
  const others = secrets.slice(1).map(describe);
  // The rest of an artifact whose scan was stopped is not known.
  const atLeast = stopped === undefined ? '' : 'at least ';
  const countedSecrets = secretCount === 1 ? `${atLeast}a secret` : `${atLeast}${secretCount} secrets`;
  return {
    message: message`The artifact contains ${countedSecrets}${describePlaces(secrets, secretCount)}.`,
    advice: adviceFor(stage, secretCount, secrets.length),
    evidence: {
      // If no secret is listed, only their number is known.
      ...(first && { kind: first.kind, entry: first.entry, line: first.line, fingerprint: first.fingerprint }),
      ...((others.length > 0 || !first) && { secrets: secretCount, others }),
    },
    ...(stage.isServed && { severity: 'warning' as const }),
  };
}

/** @param secrets those that are listed; if all of them were allowed, the others still count */
function describePlaces(secrets: readonly SecretPlace[], count: number): string {
  if (secrets.length === 0) return ' in addition to those that were listed and allowed';
  const named = secrets.slice(0, NAMED).map(describe);
  const rest = count - named.length;
  return `: ${named.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}

function adviceFor({ isServed, isPublishing }: Stage, count: number, listed: number): SafeText {
  if (isServed) return count === 1 ? REVOKE_ONE : REVOKE_ALL;
  if (listed === 0)
    return message`Remove the files with these secrets from the artifact. If none is a secret, turn the rule off for this run: --rule artifact-secret=off (it then checks no artifact).`;
  const fix = count === 1 ? REMOVE_ONE : REMOVE_ALL;
  const allow = '--allow-secret <fingerprint>';
  return isPublishing
    ? message`${fix} ${allow}`
    : message`${fix} ${allow} with the command that publishes, or an exception in the configuration.`;
}

/** `github-token in app.js:7 (fingerprint 0123456789abcdef)`. */
function describe({ kind, entry, line, fingerprint }: SecretPlace): string {
  const path = shorten(entry, 100);
  return `${kind} in ${line === 0 ? `the name of ${path}` : `${path}:${line}`} (fingerprint ${fingerprint})`;
}

/** The secrets that the message of a problem counts and does not name, each as a line. */
export function unnamedSecrets({ others }: Evidence): readonly string[] {
  return Array.isArray(others) ? others.slice(NAMED - 1) : [];
}
