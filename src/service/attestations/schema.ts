import {
  BAD_BODY,
  bodyOf,
  choice,
  dateTime,
  flag,
  forOrganization,
  ID,
  NOT_FOUND,
  nullable,
  type OpenApiObject,
  orNull,
  response,
  type Schema,
  strictObject,
  text,
  type ValueOf,
  withDescription,
} from '../http/openapi.ts';
import { ATTESTATION_MODES } from './policy.ts';
import { LONGEST_IDENTITY, LONGEST_KEY } from './policy.ts';
import { LONGEST_URL } from '../http/fields.ts';

/** The schemas of attestations, and their part of the API. */

const mode = withDescription(
  choice(ATTESTATION_MODES),
  'off: attestations are not fetched. report: they are shown. require: only versions with a valid one are offered, and those that were offered before.',
);
const ISSUER = 'The OIDC issuer of the signer, such as https://token.actions.githubusercontent.com.';
const IDENTITY =
  'The identity of the signer: the URL of a workflow and its ref. `*` matches within a segment of a path, `**` across segments.';
const REPOSITORY = 'URL of the source repository.';
const PUBLIC_KEY = 'The public key of the signer (PEM, ECDSA P-256), in place of an identity.';

const policy = strictObject('What the organization requires of the attestations of a registry.', {
  mode,
  issuer: withDescription(orNull(text), ISSUER),
  identity: withDescription(orNull(text), IDENTITY),
  repository: withDescription(orNull(text), REPOSITORY),
  publicKey: withDescription(orNull(text), PUBLIC_KEY),
});
export type PolicyView = ValueOf<typeof policy>;

const build = strictObject('Who built the version, from which commit. Null for what the attestation does not say.', {
  issuer: orNull(text),
  identity: orNull(text),
  key: withDescription(orNull(text), 'The SHA-256 of the public key, for a signature by a key.'),
  repository: orNull(text),
  commit: orNull(text),
  ref: orNull(text),
  run: withDescription(orNull(text), 'URL of the run of the CI system.'),
  signedAt: orNull(dateTime),
});

/** Of a version. */
export const attestationSchema = strictObject(
  'The attestation of a version, as the policy of the subscription judges it.',
  {
    state: withDescription(
      choice(['verified', 'missing', 'pending', 'refused']),
      'verified: it proves what the policy requires. missing: its host has none. pending: not known yet. refused: it proves something else, or nothing.',
    ),
    reason: nullable(
      strictObject('Why it is refused or pending.', { rule: text, cause: orNull(text), message: text, advice: text }),
    ),
    build: withDescription(nullable(build), 'Null unless it is verified.'),
    held: withDescription(
      nullable(strictObject('The version is held back.', { since: dateTime })),
      'Null if the version is not held back because of its attestation.',
    ),
    offeredBefore: withDescription(
      flag,
      'Whether it is offered without regard to its attestation, since it was offered when attestations, or those of this signer, were not required.',
    ),
  },
);
export type AttestationView = ValueOf<typeof attestationSchema>;

export const attestationSchemas: Record<string, Schema> = { AttestationPolicy: policy };

const sent = (description: string, maxLength: number): Schema => ({ type: ['string', 'null'], maxLength, description });

/** The policies of subscriptions. */
export const attestationsPaths: Record<string, OpenApiObject> = {
  '/api/registries/{id}/attestations': {
    parameters: [ID],
    get: forOrganization('getAttestationPolicy', 'What is required of the attestations of a registry', {
      200: response('The policy.', 'AttestationPolicy'),
      ...NOT_FOUND,
    }),
    put: forOrganization(
      'setAttestationPolicy',
      'Set what is required of the attestations of a registry',
      {
        200: response('The policy. The registry is checked soon afterwards.', 'AttestationPolicy'),
        ...BAD_BODY,
        ...NOT_FOUND,
      },
      bodyOf({
        type: 'object',
        description:
          'With `report` and `require`, the signer: publicKey, or issuer with identity or repository. With `off`, the other fields are ignored.',
        required: ['mode'],
        properties: {
          mode,
          issuer: sent(ISSUER, LONGEST_URL),
          identity: sent(IDENTITY, LONGEST_IDENTITY),
          repository: sent(REPOSITORY, LONGEST_URL),
          publicKey: sent(PUBLIC_KEY, LONGEST_KEY),
        },
      }),
    ),
  },
};
