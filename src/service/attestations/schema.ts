import * as api from '../http/openapi.ts';
import { ATTESTATION_MODES } from './policy.ts';
import { LONGEST_IDENTITY, LONGEST_KEY } from './policy.ts';
import { LONGEST_URL } from '../http/fields.ts';

/** The schemas of attestations, and their part of the API. */

const mode = api.withDescription(
  api.choice(ATTESTATION_MODES),
  'off: attestations are not fetched. report: they are shown. require: only versions with a valid one are offered, and those that were offered before.',
);
const ISSUER = 'The OIDC issuer of the signer, such as https://token.actions.githubusercontent.com.';
const IDENTITY =
  'The identity of the signer: the URL of a workflow and its ref. `*` matches within a segment of a path, `**` across segments.';
const REPOSITORY = 'URL of the source repository.';
const PUBLIC_KEY = 'The public key of the signer (PEM, ECDSA P-256), in place of an identity.';

const policy = api.strictObject('What the organization requires of the attestations of a registry.', {
  mode,
  issuer: api.withDescription(api.orNull(api.text), ISSUER),
  identity: api.withDescription(api.orNull(api.text), IDENTITY),
  repository: api.withDescription(api.orNull(api.text), REPOSITORY),
  publicKey: api.withDescription(api.orNull(api.text), PUBLIC_KEY),
});
export type PolicyView = api.ValueOf<typeof policy>;

const build = api.strictObject(
  'Who built the version, from which commit. Null for what the attestation does not say.',
  {
    issuer: api.orNull(api.text),
    identity: api.orNull(api.text),
    key: api.withDescription(api.orNull(api.text), 'The SHA-256 of the public key, for a signature by a key.'),
    repository: api.orNull(api.text),
    commit: api.orNull(api.text),
    ref: api.orNull(api.text),
    run: api.withDescription(api.orNull(api.text), 'URL of the run of the CI system.'),
    signedAt: api.orNull(api.dateTime),
  },
);

/** Of a version. */
export const attestationSchema = api.strictObject(
  'The attestation of a version, as the policy of the subscription judges it.',
  {
    state: api.withDescription(
      api.choice(['verified', 'missing', 'pending', 'refused']),
      'verified: it proves what the policy requires. missing: its host has none. pending: not known yet. refused: it proves something else, or nothing.',
    ),
    reason: api.nullable(
      api.strictObject('Why it is refused or pending.', {
        rule: api.text,
        cause: api.orNull(api.text),
        message: api.text,
        advice: api.text,
      }),
    ),
    build: api.withDescription(api.nullable(build), 'Null unless it is verified.'),
    held: api.withDescription(
      api.nullable(api.strictObject('The version is held back.', { since: api.dateTime })),
      'Null if the version is not held back because of its attestation.',
    ),
    offeredBefore: api.withDescription(
      api.flag,
      'Whether it is offered without regard to its attestation, since it was offered when attestations, or those of this signer, were not required.',
    ),
  },
);
export type AttestationView = api.ValueOf<typeof attestationSchema>;

export const attestationSchemas: Record<string, api.Schema> = { AttestationPolicy: policy };

const sent = (description: string, maxLength: number): api.Schema => ({
  type: ['string', 'null'],
  maxLength,
  description,
});

/** The policies of subscriptions. */
export const attestationsPaths: Record<string, api.OpenApiObject> = {
  '/api/registries/{id}/attestations': {
    parameters: [api.ID],
    get: api.forOrganization('getAttestationPolicy', 'What is required of the attestations of a registry', {
      200: api.response('The policy.', 'AttestationPolicy'),
      ...api.NOT_FOUND,
    }),
    put: api.forOrganization(
      'setAttestationPolicy',
      'Set what is required of the attestations of a registry',
      {
        200: api.response('The policy. The registry is checked soon afterwards.', 'AttestationPolicy'),
        ...api.BAD_BODY,
        ...api.NOT_FOUND,
      },
      api.bodyOf({
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
