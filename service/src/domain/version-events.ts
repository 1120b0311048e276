import { ruleTitle } from 'appreg';
import * as shape from './shape.ts';
import { event, sentence, nameOf } from './event-definition.ts';
import { retirementReason } from './retirements.ts';

/** The types of events about a version. */

export const rule = shape.withDescription(shape.text, 'Id of the violated rule.');
const checksum = shape.withDescription(shape.text, 'The pinned digest; the listed one if none is pinned yet.');

export const VERSION_EVENTS = {
  'version-listed': event({
    description: 'A version is listed for the first time, or with another digest.',
    data: { checksum, artifactUrl: shape.text },
    label: 'Version listed',
    tone: 'idle',
    change: ['version', 'listed'],
    message: (_, { app, version }) => `${app} ${version} is listed.`,
  }),
  'version-verified': event({
    description:
      'The artifact of a version matched its digest for the first time: it is offered, and the digest is pinned.',
    data: { checksum, bytes: shape.orNull(shape.count) },
    label: 'Version verified',
    tone: 'good',
    change: ['version', 'verified'],
    message: (_, { app, version }) => `${app} ${version} is verified: its artifact has the listed SHA-256.`,
  }),
  'version-refused': event({
    description: 'A version, or its replacement, is not offered.',
    data: {
      rule,
      checksum,
      listed: shape.withDescription(shape.orNull(shape.text), 'The listed digest, if it is not the pinned one.'),
      served: shape.withDescription(shape.orNull(shape.text), 'The digest of the served bytes, if it differs.'),
      offered: shape.withDescription(shape.flag, 'Whether the version is still offered, with the pinned digest.'),
    },
    label: 'Version refused',
    tone: 'bad',
    change: ['version', 'refused'],
    message: (data, { app, version }) =>
      data.offered
        ? `A replacement of ${app} ${version} is refused (${ruleTitle(data.rule)}). The verified artifact is still offered.`
        : `${app} ${version} is refused (${ruleTitle(data.rule)}).`,
  }),
  'version-withdrawn': event({
    description: 'A version is no longer listed.',
    data: {
      checksum,
      wasVerified: shape.withDescription(
        shape.flag,
        'If true, its digest remains pinned in case the version is listed again.',
      ),
    },
    label: 'Version withdrawn',
    tone: 'warn',
    change: ['version', 'no longer listed'],
    message: ({ wasVerified }, { app, version }) =>
      wasVerified
        ? `${app} ${version} is no longer listed, and no longer offered.`
        : `${app} ${version} is no longer listed. It was never verified.`,
  }),
  'version-restored': event({
    description: 'The registry offers a version again, with the pinned digest.',
    data: { checksum },
    label: 'Version restored',
    tone: 'good',
    change: ['version', 'offered again'],
    message: (_, { app, version }) => `The registry offers ${app} ${version} again, with the same SHA-256 as before.`,
  }),
  'version-held': event({
    description: 'The organization requires attestations, and a version has no valid one: it is not offered.',
    data: {
      checksum,
      rule: shape.withDescription(shape.orNull(rule), 'Why; null if its attestation is not known yet.'),
      cause: shape.orNull(shape.text),
    },
    label: 'Version held back',
    tone: 'warn',
    change: ['version', 'held back'],
    message: (data, { app, version }) => `${app} ${version} is held back: ${heldReason(data.rule)}`,
  }),
  'version-attested': event({
    description: 'A version has the attestation that the organization requires: it is offered.',
    data: {
      checksum,
      issuer: shape.orNull(shape.text),
      identity: shape.orNull(shape.text),
      repository: shape.orNull(shape.text),
      commit: shape.orNull(shape.text),
      key: shape.withDescription(shape.orNull(shape.text), 'The SHA-256 of the public key, for a signature by a key.'),
    },
    label: 'Attestation valid',
    tone: 'good',
    change: ['version', 'with a valid attestation'],
    message: (data, { app, version }) => `${app} ${version} has a valid attestation${builtFrom(data)}.`,
  }),
  'version-deprecated': event({
    description: 'The author retired a version, or says something else about that. The version stays offered.',
    data: {
      reason: retirementReason,
      message: shape.withDescription(shape.text, 'What the author says about it.'),
      use: shape.withDescription(shape.orNull(shape.text), 'The version that the author names in its place.'),
      since: shape.withDescription(shape.orNull(shape.text), 'A date, such as 2026-01-31, as the author says.'),
    },
    label: 'Version retired',
    tone: 'warn',
    change: ['version', 'retired'],
    message: ({ reason, message, use }, { app, version }) =>
      `The author retired ${app} ${version} (${reason}): ${sentence(message)}${use === null ? '' : ` Use ${nameOf(use)} instead.`}`,
  }),
  'version-undeprecated': event({
    description: 'The author no longer retires a version.',
    data: { reason: shape.withDescription(retirementReason, 'Why it had been retired.') },
    label: 'No longer retired',
    tone: 'good',
    change: ['version', 'no longer retired'],
    message: (_, { app, version }) => `${app} ${version} is no longer retired.`,
  }),
};

/** By the rule of an attestation. */
function heldReason(id: string | null): string {
  if (id === null) return 'its attestation is not known yet.';
  if (id === 'attestation-missing') return 'it has no attestation.';
  if (id === 'attestation-identity') return 'its attestation is signed by someone else.';
  return 'its attestation does not prove who built it.';
}

function builtFrom({ repository, commit, key }: Record<'repository' | 'commit' | 'key', string | null>): string {
  if (repository === null) return key === null ? '' : `, signed with the key sha256:${nameOf(key)}`;
  return `: built from ${nameOf(repository)}${commit === null ? '' : ` at ${nameOf(commit)}`}`;
}
