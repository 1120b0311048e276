import { joined, message, type SafeText } from '../../text/message.ts';
import { type ContentScan, isMissing, type SecretPlace } from '../../facts/facts.ts';
import { shorten } from '../../text/text.ts';
import type { Evidence } from '../../values/evidence.ts';
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
  needsNewVersion: true,
  failsWhen:
    'a file in the archive contains a private key, a token of a known service, a password in a URL, an .env file with values, or npm credentials; also inside inline source maps, and in the names of files. Placeholders such as ${NPM_TOKEN}, forms of repeated characters (ghp_0000…) and published samples, such as the account key of Azurite, do not count. The message names the source file and the package that a secret came from, as far as the code names them. An artifact that is already served is a warning; bundle, publish-version and release refuse it (--allow-secret <fingerprint>, or an exception with “secret”, allows one value)',
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
const OF_PACKAGE_SERVED =
  'All who install the package have it. If it is a sample, or a key for tests, no action is needed; otherwise report it to the maintainers of the package.';
const OF_PACKAGE =
  'All who install the package have it, so that it protects nothing of yours. If it is a sample, or a key for tests, use';
const REPORT_TO_MAINTAINERS = 'Otherwise report it to the maintainers of the package, and do not publish it again.';

interface Stage {
  /** True if the artifact was fetched from its URL, so that others may have it. */
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
    advice: adviceFor(stage, secretCount, secrets),
    evidence: {
      // If no secret is listed, only their number is known.
      ...(first && placeEvidence(first)),
      ...((others.length > 0 || !first) && {
        secrets: secretCount,
        others,
        fingerprints: secrets.map(({ fingerprint }) => fingerprint),
      }),
    },
    ...(stage.isServed && { severity: 'warning' as const }),
  };
}

function placeEvidence(place: SecretPlace): Evidence {
  const { kind, entry, line, source, fingerprint } = place;
  const packageName = packageOf(place);
  return {
    kind,
    entry,
    line,
    ...(source !== undefined && { source }),
    ...(packageName !== null && { package: packageName }),
    fingerprint,
  };
}

/**
 * The fingerprints of the secrets that a finding is about; null if it does not name all of them.
 * @param evidence of a finding of this rule
 */
export function secretsNamed({ fingerprint, fingerprints, secrets }: Evidence): readonly unknown[] | null {
  const named = Array.isArray(fingerprints) ? fingerprints : [fingerprint];
  return named.length === (secrets ?? 1) ? named : null;
}

/** The name of the package that a secret came with; null if it came with none, or if that is unknown. */
function packageOf({ entry, source = entry }: SecretPlace): string | null {
  const [, name] = /^(?:.*\/)?node_modules\/(@[^/]+\/[^/]+|[^@/][^/]*)\//.exec(source) ?? [];
  return name ?? null;
}

/** @param secrets those that are listed; if all of them were allowed, the others still count */
function describePlaces(secrets: readonly SecretPlace[], count: number): string {
  if (secrets.length === 0) return ' in addition to those that were listed and allowed';
  const named = secrets.slice(0, NAMED).map(describe);
  const rest = count - named.length;
  return `: ${named.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}

function adviceFor({ isServed, isPublishing }: Stage, count: number, secrets: readonly SecretPlace[]): SafeText {
  const isOfPackages = count === secrets.length && secrets.every((one) => packageOf(one) !== null);
  if (isServed) return isOfPackages ? message`${OF_PACKAGE_SERVED}` : count === 1 ? REVOKE_ONE : REVOKE_ALL;
  if (secrets.length === 0)
    return message`Remove the files with these secrets from the artifact. If none is a secret, turn the rule off for this run: --rule artifact-secret=off (it then checks no artifact).`;
  const fix = isOfPackages ? OF_PACKAGE : count === 1 ? REMOVE_ONE : REMOVE_ALL;
  const allow = isPublishing
    ? '--allow-secret <fingerprint>'
    : '--allow-secret <fingerprint> with the command that publishes';
  const exception = 'or an exception in the configuration with "secret": "<fingerprint>".';
  return joined(
    [message`${fix} ${allow}, ${exception}`, ...(isOfPackages ? [message`${REPORT_TO_MAINTAINERS}`] : [])],
    ' ',
  );
}

/** `github-token in app.js:7 (package octokit, node_modules/octokit/index.js; fingerprint 0123456789abcdef)`. */
function describe(place: SecretPlace): string {
  const { kind, entry, line, source, fingerprint } = place;
  const path = shorten(entry, 100);
  const name = packageOf(place);
  const origin = [
    ...(name === null ? [] : [`package ${shorten(name, 100)}`]),
    ...(source === undefined ? [] : [shorten(source, 160)]),
  ].join(', ');
  const where = line === 0 ? `the name of ${path}` : `${path}:${line}`;
  return `${kind} in ${where} (${origin === '' ? '' : `${origin}; `}fingerprint ${fingerprint})`;
}

/** The secrets that the message of a problem counts and does not name, each as a line. */
export function unnamedSecrets({ others }: Evidence): readonly string[] {
  return Array.isArray(others) ? others.slice(NAMED - 1) : [];
}
