import type { JsonObject } from 'appreg';
import { type Service } from '../context.ts';
import { attestationPolicy } from '../db/signers.ts';
import { type Route, organizationRoute, type WebContext } from '../http/routes.ts';
import { pathParameter } from '../http/query.ts';
import { json, orNotFound } from '../http/problems.ts';
import { type Caller } from '../http/auth.ts';
import { readBody, invalidFields, quotedValue } from '../http/body.ts';
import { setPolicy } from '../actions/signers.ts';
import {
  type SubscriptionPolicy,
  type PolicyFault,
  type PolicyField,
  readPolicy,
  LONGEST_IDENTITY,
  LONGEST_KEY,
} from '../domain/signers.ts';
import { type PolicyView, policy, mode, ISSUER, IDENTITY, REPOSITORY, PUBLIC_KEY } from '../domain/attestation-view.ts';
import * as shape from '../domain/shape.ts';
import * as openapi from '../http/operations.ts';
import { LONGEST_URL } from '../domain/fields.ts';

/** Routes for the requirements of an organization on the attestations of a registry. */
export function attestationRoutes(service: Service): Route[] {
  const path = '/api/registries/{id}/attestations';
  return [
    organizationRoute('GET', path, 'read', async (c, { id }) => {
      const policy = await attestationPolicy(service.db, id, pathParameter(c, 'id'));
      return json(c, policyView(orNotFound(policy, 'registry')));
    }),
    organizationRoute('PUT', path, 'manage', (c, caller) => putPolicy(c, service, caller)),
  ];
}

async function putPolicy(c: WebContext, service: Service, { id: organizationId, actor }: Caller): Promise<Response> {
  const policy = policyIn(await readBody(c));
  const target = { organizationId, subscriptionId: pathParameter(c, 'id'), actor };
  return json(c, policyView(orNotFound(await setPolicy(service, target, policy), 'registry')));
}

/** @throws Refusal that lists every invalid field */
function policyIn(body: JsonObject): SubscriptionPolicy {
  const faults: PolicyFault[] = [];
  const textOf = (field: PolicyField): string => {
    const value = (Object.hasOwn(body, field) ? body[field] : null) ?? null;
    if (value === null || typeof value === 'string') return value ?? '';
    faults.push({ field, fault: 'is neither a string nor null.' });
    return '';
  };
  const mode = Object.hasOwn(body, 'mode') && typeof body['mode'] === 'string' ? body['mode'] : '';
  const [issuer, identity, repository, publicKey] = [
    textOf('issuer'),
    textOf('identity'),
    textOf('repository'),
    textOf('publicKey'),
  ];
  const policy = readPolicy({ mode, issuer, identity, repository, publicKey });
  if (!('faults' in policy) && faults.length === 0) return policy;
  // A field of another type was read as if it were missing.
  const others =
    'faults' in policy ? policy.faults.filter(({ field }) => !faults.some((one) => one.field === field)) : [];
  throw invalidFields(
    [...faults, ...others].map(({ field, fault }) => ({
      pointer: `/${field}`,
      field,
      detail: `The field “${field}” ${fault}${quotedValue(Object.hasOwn(body, field) ? body[field] : undefined)}`,
    })),
  );
}

function policyView(policy: SubscriptionPolicy): PolicyView {
  const none = { issuer: null, identity: null, repository: null, publicKey: null };
  if (policy.mode === 'off') return { mode: 'off', ...none };
  const { mode, signer } = policy;
  if ('publicKey' in signer) return { mode, ...none, publicKey: signer.publicKey };
  return { mode, ...none, ...signer };
}

export const attestationSchemas: Record<string, shape.Schema> = { AttestationPolicy: policy };

const sent = (description: string, maxLength: number): shape.Schema => ({
  type: ['string', 'null'],
  maxLength,
  description,
});

/** The policies of subscriptions. */
export const attestationsPaths: Record<string, openapi.OpenApiObject> = {
  '/api/registries/{id}/attestations': {
    parameters: [openapi.ID],
    get: openapi.forOrganization('getAttestationPolicy', 'What is required of the attestations of a registry', {
      200: openapi.response('The policy.', 'AttestationPolicy'),
      ...openapi.NOT_FOUND,
    }),
    put: openapi.forOrganization(
      'setAttestationPolicy',
      'Set what is required of the attestations of a registry',
      {
        200: openapi.response('The policy. The registry is checked soon afterwards.', 'AttestationPolicy'),
        ...openapi.BAD_BODY,
        ...openapi.NOT_FOUND,
      },
      openapi.bodyOf({
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
