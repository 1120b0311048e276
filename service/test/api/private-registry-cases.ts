import { expect } from 'vitest';
import {
  authenticated,
  type ContractCase,
  invalidFields,
  problemType,
  registryPath,
  UNKNOWN_ID,
} from './contract-case.ts';

/** The credentials of registries. */

const auth = { type: 'bearer', token: 'contract-credential' };
const NO_CREDENTIAL = ({ text }: { text: string }): void => expect(text).not.toContain('contract-credential');

export const privateRegistryCases: ContractCase[] = [
  {
    name: 'invalid credentials are refused, without their values',
    method: 'PUT',
    path: registryPath('/auth'),
    send: authenticated({ body: { type: 'header', name: 'Host', value: 'contract-credential\nA: b' } }),
    status: 400,
    check: (response) => {
      invalidFields('auth.name', 'auth.value')(response);
      NO_CREDENTIAL(response);
    },
  },
  {
    name: 'subscribing with invalid credentials is refused',
    method: 'POST',
    path: '/api/registries/subscribe',
    send: authenticated({
      body: { url: 'https://private.example.com/', name: 'x', auth: { type: 'bearer', token: '' } },
    }),
    status: 400,
    check: invalidFields('auth.token'),
  },
  {
    name: 'credentials are set, and not shown',
    method: 'PUT',
    path: registryPath('/auth'),
    send: authenticated({ body: { auth } }),
    status: 200,
    check: (response, { id }) => {
      NO_CREDENTIAL(response);
      expect(response.json).toMatchObject({ id, auth: { type: 'bearer' }, apps: 3, visible: 1 });
    },
  },
  {
    name: 'credentials are replaced',
    method: 'PUT',
    path: registryPath('/auth'),
    send: authenticated({ body: { type: 'basic', username: 'robot', password: 'contract-credential' } }),
    status: 200,
    check: (response) => {
      NO_CREDENTIAL(response);
      expect(response.json.auth.type).toBe('basic');
    },
  },
  {
    name: 'credentials are removed',
    method: 'DELETE',
    path: registryPath('/auth'),
    send: authenticated(),
    status: 204,
  },
  {
    name: 'credentials that are not set are removed',
    method: 'DELETE',
    path: registryPath('/auth'),
    send: authenticated(),
    status: 204,
  },
  {
    name: 'null removes credentials, too',
    method: 'PUT',
    path: registryPath('/auth'),
    send: authenticated({ body: { auth: null } }),
    status: 200,
    check: ({ json }, { id }) => expect(json).toMatchObject({ id, auth: null }),
  },
  {
    name: 'setting credentials needs a token',
    method: 'PUT',
    path: registryPath('/auth'),
    send: () => ({ body: auth }),
    status: 401,
  },
  { name: 'removing credentials needs a token', method: 'DELETE', path: registryPath('/auth'), status: 401 },
  {
    name: 'credentials of an unknown registry are not set',
    method: 'PUT',
    path: `/api/registries/${UNKNOWN_ID}/auth`,
    send: authenticated({ body: auth }),
    status: 404,
  },
  {
    name: 'credentials of an unknown registry are not removed',
    method: 'DELETE',
    path: `/api/registries/${UNKNOWN_ID}/auth`,
    send: authenticated(),
    status: 404,
  },
  {
    name: 'a large body of credentials is refused',
    method: 'PUT',
    path: registryPath('/auth'),
    send: authenticated({ body: { type: 'bearer', token: 'x'.repeat(20_000) } }),
    status: 413,
  },
  {
    name: 'credentials as a form are refused',
    method: 'PUT',
    path: registryPath('/auth'),
    send: authenticated({ body: 'type=bearer', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    status: 415,
    check: problemType('unsupported-media-type'),
  },
];
