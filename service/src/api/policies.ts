import type { PolicyDocument } from 'appreg';
import { type Service } from '../context.ts';
import { type Route, type WebContext, organizationRoute } from '../http/routes.ts';
import { type Caller } from '../http/auth.ts';
import { pathParameter } from '../http/query.ts';
import { setPolicy, storedPolicy, previewPolicy, type PolicyOutcome } from '../db/policies.ts';
import { orNotFound, json, Refusal } from '../http/problems.ts';
import { type PolicyView, previewView, readPolicy, policySchema, policy, preview } from '../domain/policies.ts';
import { readBody, fieldsIn } from '../http/body.ts';
import { optional, flagField, type FieldReader } from '../domain/fields.ts';
import { storableValue } from '../domain/storable.ts';
import * as shape from '../domain/shape.ts';
import * as openapi from '../http/operations.ts';

/** The policies of subscriptions. */
export function policyRoutes({ db }: Service): Route[] {
  const path = '/api/registries/{id}/policy';
  const set = (
    c: WebContext,
    { id: organizationId, actor }: Caller,
    policy: PolicyDocument | null,
    confirm: boolean,
  ) => {
    const target = { organizationId, subscriptionId: pathParameter(c, 'id'), actor, now: new Date(), confirm };
    return setPolicy(db, target, policy);
  };
  return [
    organizationRoute('GET', path, 'read', async (c, { id }) => {
      const { policy } = orNotFound(await storedPolicy(db, id, pathParameter(c, 'id')), 'registry');
      return json(c, { policy } satisfies PolicyView);
    }),
    organizationRoute('PUT', path, 'manage', async (c, caller) => {
      const body = await readBody(c);
      const { policy: sent, confirm = false } = fieldsIn<{
        policy: PolicyDocument | null;
        confirm: boolean | undefined;
      }>(body, {
        policy: policyField,
        confirm: optional(flagField),
      });
      const policy = sent && storableValue(sent);
      const outcome = orNotFound(await set(c, caller, policy, confirm), 'registry');
      if (outcome.outcome === 'unconfirmed') throw unconfirmed(outcome);
      return json(c, { policy } satisfies PolicyView);
    }),
    organizationRoute('DELETE', path, 'manage', async (c, caller) => {
      orNotFound(await set(c, caller, null, false), 'registry');
      return c.body(null, 204);
    }),
    organizationRoute('POST', `${path}/preview`, 'manage', async (c, { id: organizationId }) => {
      const { policy } = fieldsIn(await readBody(c), { policy: policyField });
      const place = { organizationId, subscriptionId: pathParameter(c, 'id'), now: new Date() };
      return json(c, previewView(orNotFound(await previewPolicy(db, place, policy), 'registry')));
    }),
  ];
}

/** The policy in a body, or every fault of it. */
const policyField: FieldReader<PolicyDocument | null> = (value) => {
  if (value === undefined) return { fault: 'is missing.' };
  if (value === null) return { value };
  const read = readPolicy(value);
  if ('document' in read) return { value: read.document };
  const errors = read.faults.map(({ pointer, message }) => ({
    pointer: `/policy${pointer}`,
    field: 'policy',
    detail: message,
  }));
  return { errors };
};

function unconfirmed({ preview }: PolicyOutcome): Refusal {
  return new Refusal(
    'policy-hides-everything',
    `With this policy, the organization would be offered no version of this registry; ${preview.hidden.length} that are offered now would be held back. If that is intended, send "confirm": true.`,
  );
}

export const policySchemas: Record<string, shape.Schema> = {
  Policy: policySchema,
  RegistryPolicy: policy,
  PolicyPreview: preview,
};

const sent: shape.Schema = {
  ...policySchema,
  type: ['object', 'null'],
  description: 'The policy: the whole one, since it replaces the former one. Null for none.',
};
const confirm = shape.withDescription(shape.flag, 'True to set a policy that hides everything.');

/** The policies of subscriptions. */
export const policiesPaths: Record<string, openapi.OpenApiObject> = {
  '/api/registries/{id}/policy': {
    parameters: [openapi.ID],
    get: openapi.forOrganization('getPolicy', 'The policy of a registry', {
      200: openapi.response('The policy.', 'RegistryPolicy'),
      ...openapi.NOT_FOUND,
    }),
    put: openapi.forOrganization(
      'setPolicy',
      'Set the policy of a registry',
      {
        200: openapi.response('The policy, which applies at once.', 'RegistryPolicy'),
        409: openapi.refusal(
          'No version would be offered any more (type …:policy-hides-everything), and “confirm” is not true.',
        ),
        ...openapi.BAD_BODY,
        ...openapi.NOT_FOUND,
      },
      openapi.bodyOf({ type: 'object', required: ['policy'], properties: { policy: sent, confirm } }),
    ),
    delete: openapi.forOrganization('removePolicy', 'Remove the policy of a registry', {
      204: { description: 'It has no policy.' },
      ...openapi.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/policy/preview': {
    parameters: [openapi.ID],
    post: openapi.forOrganization(
      'previewPolicy',
      'What a policy would hide, and what would appear; nothing is changed',
      { 200: openapi.response('What would change.', 'PolicyPreview'), ...openapi.BAD_BODY, ...openapi.NOT_FOUND },
      openapi.bodyOf({ type: 'object', required: ['policy'], properties: { policy: sent } }),
    ),
  },
};
