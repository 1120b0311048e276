import type { PolicyDocument } from '../../core/policy/policy-document.ts';
import type { Service } from '../context.ts';
import type { Caller } from '../http/auth.ts';
import { readBody, type FieldReader, fieldsIn, flagField, optional } from '../http/fields.ts';
import { json, orNotFound, Refusal } from '../http/problems.ts';
import { pathParameter } from '../http/query.ts';
import { organizationRoute, type Route, type WebContext } from '../http/routes.ts';
import { storableValue } from '../database/packed.ts';
import { readPolicy, previewView } from './policy.ts';
import { type PolicyOutcome, previewPolicy, setPolicy, storedPolicy } from './policy-store.ts';
import type { PolicyView } from './schema.ts';

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
