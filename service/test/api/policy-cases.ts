import { expect } from 'vitest';
import {
  authenticated,
  type ContractCase,
  invalidFields,
  problemType,
  registryPath,
  UNKNOWN_ID,
} from './contract-case.ts';

/** The policy of a registry. */

const path = registryPath('/policy');
const preview = registryPath('/policy/preview');
const AGED = { schema: 1, minimumAgeExclude: ['mail'], deny: ['none-*'], minimumAge: '3d' };
const REPLACED = { schema: 1, $schema: 'a\ufffdb\ufffd' };
const NOTHING = { schema: 1, deny: ['*'] };

function put(name: string, body: object, status: number, check: Required<ContractCase>['check']): ContractCase {
  return { name: `policy: ${name}`, method: 'PUT', path, send: authenticated({ body }), status, check };
}

function refused(name: string, policy: unknown, pointer: string): ContractCase {
  return put(name, { policy }, 400, (response) => {
    invalidFields('policy')(response);
    expect(response.json.errors[0].pointer).toBe(pointer);
  });
}

function stored(name: string, policy: object | null): ContractCase {
  return {
    name: `policy: ${name}`,
    method: 'GET',
    path,
    send: authenticated(),
    status: 200,
    check: ({ json }) => expect(json).toEqual({ policy }),
  };
}

/** What the organization is offered of the app with two versions. */
function offers(name: string, latest: string | null, code: string | null): ContractCase {
  return {
    name: `policy: ${name}`,
    method: 'GET',
    path: registryPath('/apps/mail'),
    send: authenticated(),
    status: 200,
    check: ({ json }) => {
      expect(json.latest).toBe(latest);
      expect(json.reasons.map((reason: { code: string }) => reason.code)).toEqual(code === null ? [] : [code]);
    },
  };
}

export const policyCases: ContractCase[] = [
  stored('there is none', null),
  put('a body without it is refused', {}, 400, invalidFields('policy')),
  put('a flag that is none is refused', { policy: null, confirm: 'yes' }, 400, invalidFields('confirm')),
  refused('a text is refused', 'deny', '/policy'),
  refused('an unknown field is refused', { schema: 1, dney: [] }, '/policy/dney'),
  refused('an entry that is no selector is refused', { schema: 1, deny: ['clock@high'] }, '/policy/deny/0'),
  refused('a policy that is too long is refused', { schema: 1, deny: Array(100).fill('a'.repeat(155)) }, '/policy'),
  put(
    'one that hides everything needs a confirmation',
    { policy: NOTHING },
    409,
    problemType('policy-hides-everything'),
  ),
  {
    name: 'policy: its preview says so, and changes nothing',
    method: 'POST',
    path: preview,
    send: authenticated({ body: { policy: NOTHING } }),
    status: 200,
    check: ({ json }) => {
      expect(json).toMatchObject({ appearing: 0, hidesEverything: true, appearingVersions: [] });
      expect(json.hiddenVersions).toContainEqual({
        app: 'mail',
        version: '1.0.0',
        line: 'deny[0] "*"',
        offeredAt: null,
      });
    },
  },
  stored('it was not set', null),
  put('the response has what is stored', { policy: { schema: 1, $schema: 'a\u0000b\ud800' } }, 200, ({ json }) =>
    expect(json).toEqual({ policy: REPLACED }),
  ),
  stored('characters that the database cannot store are replaced', REPLACED),
  put('it is removed by null', { policy: null }, 200, ({ json }) => expect(json).toEqual({ policy: null })),
  {
    name: 'policy: the preview of an invalid one is refused',
    method: 'POST',
    path: preview,
    send: authenticated({ body: { policy: { schema: 2 } } }),
    status: 400,
    check: invalidFields('policy'),
  },
  put('one that hides everything is set with a confirmation', { policy: NOTHING, confirm: true }, 200, ({ json }) =>
    expect(json).toEqual({ policy: NOTHING }),
  ),
  offers('an app of which everything is held back says so', null, 'policy-held'),
  {
    name: 'policy: a held version names the line',
    method: 'GET',
    path: registryPath('/apps/mail/versions'),
    send: authenticated(),
    status: 200,
    check: ({ json }) =>
      expect(json.versions[0]).toMatchObject({
        offered: false,
        policyHold: { cause: 'denied', line: 'deny[0] "*"', offeredAt: null },
      }),
  },
  {
    name: 'policy: a held version is not sent',
    method: 'GET',
    path: registryPath('/apps/mail/versions/1.0.0/artifact'),
    send: authenticated(),
    status: 409,
    check: problemType('artifact-held'),
  },
  put('another one replaces it', { policy: AGED }, 200, ({ json }) => expect(json).toEqual({ policy: AGED })),
  stored('it is returned as it was set', AGED),
  {
    name: 'policy: it is removed',
    method: 'DELETE',
    path,
    send: authenticated(),
    status: 204,
  },
  stored('none is left', null),
  ...(['GET', 'PUT', 'DELETE'] as const).map((method) => ({
    name: `policy: ${method} needs a token`,
    method,
    path,
    status: 401,
  })),
  { name: 'policy: the preview needs a token', method: 'POST', path: preview, status: 401 },
  ...(['GET', 'PUT', 'DELETE'] as const).map((method) => ({
    name: `policy: ${method} of an unknown registry`,
    method,
    path: `/api/registries/${UNKNOWN_ID}/policy`,
    send: authenticated(method === 'PUT' ? { body: { policy: AGED } } : {}),
    status: 404,
  })),
  {
    name: 'policy: the preview of an unknown registry',
    method: 'POST',
    path: `/api/registries/${UNKNOWN_ID}/policy/preview`,
    send: authenticated({ body: { policy: AGED } }),
    status: 404,
  },
];
