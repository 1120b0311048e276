import type { HoldCause } from '../../core/policy/decide.ts';
import type { PolicyDocument } from '../../core/policy/policy-document.ts';
import * as api from '../http/openapi.ts';

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
const offeredAt = api.withDescription(
  api.orNull(api.dateTime),
  'From when it is offered; null if time alone does not change that.',
);

/** Of a version. */
export const policyHoldSchema = api.strictObject('The policy of the organization holds the version back.', {
  cause: api.withDescription(
    api.choice<HoldCause | null>([...CAUSES, null]),
    'Why; null if the policy was not applied to the version yet.',
  ),
  line: api.withDescription(api.orNull(api.text), line),
  offeredAt,
  message: api.withDescription(api.text, 'A sentence for people.'),
});
export type PolicyHold = api.ValueOf<typeof policyHoldSchema>;

/** A policy as it was set. */
export const policySchema = api.schemaOf<PolicyDocument>({
  description:
    'Which versions of the registry the organization takes, as schemas/policy.schema.json of appreg describes it.',
  type: 'object',
  required: ['schema'],
  properties: { schema: { const: 1 } },
});

const policy = api.strictObject('The policy of a registry.', {
  policy: api.withDescription(
    api.nullable(api.ref<PolicyDocument>('Policy')),
    'Null for none: every verified version is offered.',
  ),
});
export type PolicyView = api.ValueOf<typeof policy>;

/** Entries of a list in a preview. */
export const MOST_PREVIEWED = 200;

const preview = api.strictObject('What a policy would do.', {
  hidden: api.withDescription(api.count, 'Versions that are offered, and would be held back.'),
  appearing: api.withDescription(api.count, 'Versions that are held back, and would be offered.'),
  hidesEverything: api.withDescription(api.flag, 'Whether no version would be offered, although there are versions.'),
  hiddenVersions: api.withDescription(
    api.list(
      api.strictObject('A version.', {
        app: api.text,
        version: api.text,
        line: api.withDescription(api.text, line),
        offeredAt,
      }),
    ),
    `The first ${MOST_PREVIEWED} versions that would be held back.`,
  ),
  appearingVersions: api.withDescription(
    api.list(api.strictObject('A version.', { app: api.text, version: api.text })),
    `The first ${MOST_PREVIEWED} versions that would be offered.`,
  ),
  hiddenApps: api.withDescription(
    api.list(api.text),
    `The first ${MOST_PREVIEWED} apps that could not be installed any more, by key.`,
  ),
  latest: api.withDescription(
    api.list(api.strictObject('An app.', { app: api.text, before: api.orNull(api.text), after: api.orNull(api.text) })),
    `The first ${MOST_PREVIEWED} apps with another latest version.`,
  ),
});
export type PreviewView = api.ValueOf<typeof preview>;

export const policySchemas: Record<string, api.Schema> = {
  Policy: policySchema,
  RegistryPolicy: policy,
  PolicyPreview: preview,
};

const sent: api.Schema = {
  ...policySchema,
  type: ['object', 'null'],
  description: 'The policy: the whole one, since it replaces the former one. Null for none.',
};
const confirm = api.withDescription(api.flag, 'True to set a policy that hides everything.');

/** The policies of subscriptions. */
export const policiesPaths: Record<string, api.OpenApiObject> = {
  '/api/registries/{id}/policy': {
    parameters: [api.ID],
    get: api.forOrganization('getPolicy', 'The policy of a registry', {
      200: api.response('The policy.', 'RegistryPolicy'),
      ...api.NOT_FOUND,
    }),
    put: api.forOrganization(
      'setPolicy',
      'Set the policy of a registry',
      {
        200: api.response('The policy, which applies at once.', 'RegistryPolicy'),
        409: api.refusal(
          'No version would be offered any more (type …:policy-hides-everything), and “confirm” is not true.',
        ),
        ...api.BAD_BODY,
        ...api.NOT_FOUND,
      },
      api.bodyOf({ type: 'object', required: ['policy'], properties: { policy: sent, confirm } }),
    ),
    delete: api.forOrganization('removePolicy', 'Remove the policy of a registry', {
      204: { description: 'It has no policy.' },
      ...api.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/policy/preview': {
    parameters: [api.ID],
    post: api.forOrganization(
      'previewPolicy',
      'What a policy would hide, and what would appear; nothing is changed',
      { 200: api.response('What would change.', 'PolicyPreview'), ...api.BAD_BODY, ...api.NOT_FOUND },
      api.bodyOf({ type: 'object', required: ['policy'], properties: { policy: sent } }),
    ),
  },
};
