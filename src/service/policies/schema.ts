import type { HoldCause } from '../../core/policy/decide.ts';
import type { PolicyDocument } from '../../core/policy/policy-document.ts';
import {
  BAD_BODY,
  bodyOf,
  choice,
  count,
  dateTime,
  flag,
  forOrganization,
  ID,
  list,
  NOT_FOUND,
  nullable,
  type OpenApiObject,
  orNull,
  ref,
  refusal,
  response,
  type Schema,
  schemaOf,
  strictObject,
  text,
  type ValueOf,
  withDescription,
} from '../http/openapi.ts';

/** The schemas of policies, and their part of the API. */

const CAUSES = [
  'denied',
  'not-allowed',
  'not-pinned',
  'attestation-missing',
  'attestation-refused',
  'attestation-pending',
  'attestation-off',
  'retired',
  'too-new',
  'first-seen-unknown',
] as const satisfies readonly HoldCause[];

const line = 'The line of the policy, such as `deny[0] "clock@<1.2.0"`.';
const offeredAt = withDescription(
  orNull(dateTime),
  'From when it is offered; null if time alone does not change that.',
);

/** Of a version. */
export const policyHoldSchema = strictObject('The policy of the organization holds the version back.', {
  cause: withDescription(
    choice<HoldCause | null>([...CAUSES, null]),
    'Why; null if the policy was not applied to the version yet.',
  ),
  line: withDescription(orNull(text), line),
  offeredAt,
  message: withDescription(text, 'A sentence for people.'),
});
export type PolicyHold = ValueOf<typeof policyHoldSchema>;

/** A policy as it was set. */
export const policySchema = schemaOf<PolicyDocument>({
  description:
    'Which versions of the registry the organization takes, as schemas/policy.schema.json of appreg describes it.',
  type: 'object',
  required: ['schema'],
  properties: { schema: { const: 1 } },
});

const policy = strictObject('The policy of a registry.', {
  policy: withDescription(nullable(ref<PolicyDocument>('Policy')), 'Null for none: every verified version is offered.'),
});
export type PolicyView = ValueOf<typeof policy>;

/** Entries of a list in a preview. */
export const MOST_PREVIEWED = 200;

const preview = strictObject('What a policy would do.', {
  hidden: withDescription(count, 'Versions that are offered, and would be held back.'),
  appearing: withDescription(count, 'Versions that are held back, and would be offered.'),
  hidesEverything: withDescription(flag, 'Whether no version would be offered, although there are versions.'),
  hiddenVersions: withDescription(
    list(strictObject('A version.', { app: text, version: text, line: withDescription(text, line), offeredAt })),
    `The first ${MOST_PREVIEWED} versions that would be held back.`,
  ),
  appearingVersions: withDescription(
    list(strictObject('A version.', { app: text, version: text })),
    `The first ${MOST_PREVIEWED} versions that would be offered.`,
  ),
  hiddenApps: withDescription(
    list(text),
    `The first ${MOST_PREVIEWED} apps that could not be installed any more, by key.`,
  ),
  latest: withDescription(
    list(strictObject('An app.', { app: text, before: orNull(text), after: orNull(text) })),
    `The first ${MOST_PREVIEWED} apps with another latest version.`,
  ),
});
export type PreviewView = ValueOf<typeof preview>;

export const policySchemas: Record<string, Schema> = {
  Policy: policySchema,
  RegistryPolicy: policy,
  PolicyPreview: preview,
};

const sent: Schema = {
  ...policySchema,
  type: ['object', 'null'],
  description: 'The policy: the whole one, since it replaces the former one. Null for none.',
};
const confirm = withDescription(flag, 'True to set a policy that hides everything.');

/** The policies of subscriptions. */
export const policiesPaths: Record<string, OpenApiObject> = {
  '/api/registries/{id}/policy': {
    parameters: [ID],
    get: forOrganization('getPolicy', 'The policy of a registry', {
      200: response('The policy.', 'RegistryPolicy'),
      ...NOT_FOUND,
    }),
    put: forOrganization(
      'setPolicy',
      'Set the policy of a registry',
      {
        200: response('The policy, which applies at once.', 'RegistryPolicy'),
        409: refusal(
          'No version would be offered any more (type …:policy-hides-everything), and “confirm” is not true.',
        ),
        ...BAD_BODY,
        ...NOT_FOUND,
      },
      bodyOf({ type: 'object', required: ['policy'], properties: { policy: sent, confirm } }),
    ),
    delete: forOrganization('removePolicy', 'Remove the policy of a registry', {
      204: { description: 'It has no policy.' },
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/policy/preview': {
    parameters: [ID],
    post: forOrganization(
      'previewPolicy',
      'What a policy would hide, and what would appear; nothing is changed',
      { 200: response('What would change.', 'PolicyPreview'), ...BAD_BODY, ...NOT_FOUND },
      bodyOf({ type: 'object', required: ['policy'], properties: { policy: sent } }),
    ),
  },
};
