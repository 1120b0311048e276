import * as shape from './shape.ts';
import { ATTESTATION_MODES } from './signers.ts';

/** The schemas of attestations, and their part of the API. */

export const mode = shape.withDescription(
  shape.choice(ATTESTATION_MODES),
  'off: attestations are not fetched. report: they are shown. require: only versions with a valid one are offered, and those that were offered before.',
);
export const ISSUER = 'The OIDC issuer of the signer, such as https://token.actions.githubusercontent.com.';
export const IDENTITY =
  'The identity of the signer: the URL of a workflow and its ref. `*` matches within a segment of a path, `**` across segments.';
export const REPOSITORY = 'URL of the source repository.';
export const PUBLIC_KEY = 'The public key of the signer (PEM, ECDSA P-256), in place of an identity.';

export const policy = shape.strictObject('What the organization requires of the attestations of a registry.', {
  mode,
  issuer: shape.withDescription(shape.orNull(shape.text), ISSUER),
  identity: shape.withDescription(shape.orNull(shape.text), IDENTITY),
  repository: shape.withDescription(shape.orNull(shape.text), REPOSITORY),
  publicKey: shape.withDescription(shape.orNull(shape.text), PUBLIC_KEY),
});
export type PolicyView = shape.ValueOf<typeof policy>;

const build = shape.strictObject(
  'Who built the version, from which commit. Null for what the attestation does not say.',
  {
    issuer: shape.orNull(shape.text),
    identity: shape.orNull(shape.text),
    key: shape.withDescription(shape.orNull(shape.text), 'The SHA-256 of the public key, for a signature by a key.'),
    repository: shape.orNull(shape.text),
    commit: shape.orNull(shape.text),
    ref: shape.orNull(shape.text),
    run: shape.withDescription(shape.orNull(shape.text), 'URL of the run of the CI system.'),
    signedAt: shape.orNull(shape.dateTime),
  },
);

/** Of a version. */
export const attestationSchema = shape.strictObject(
  'The attestation of a version, as the policy of the subscription judges it.',
  {
    state: shape.withDescription(
      shape.choice(['verified', 'missing', 'pending', 'refused']),
      'verified: it proves what the policy requires. missing: its host has none. pending: not known yet. refused: it proves something else, or nothing.',
    ),
    reason: shape.nullable(
      shape.strictObject('Why it is refused or pending.', {
        rule: shape.text,
        cause: shape.orNull(shape.text),
        message: shape.text,
        advice: shape.text,
      }),
    ),
    build: shape.withDescription(shape.nullable(build), 'Null unless it is verified.'),
    held: shape.withDescription(
      shape.nullable(shape.strictObject('The version is held back.', { since: shape.dateTime })),
      'Null if the version is not held back because of its attestation.',
    ),
    offeredBefore: shape.withDescription(
      shape.flag,
      'Whether it is offered without regard to its attestation, since it was offered when attestations, or those of this signer, were not required.',
    ),
  },
);
export type AttestationView = shape.ValueOf<typeof attestationSchema>;
