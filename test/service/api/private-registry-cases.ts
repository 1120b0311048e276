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

/** Credentials that are refused, and the fields that the response names. */
const INVALID: [name: string, body: unknown, fields: string[]][] = [
  ['without a type', {}, ['auth.type']],
  ['of an unknown type', { type: 'digest', token: 'contract-credential' }, ['auth.type']],
  ['that are a text', { auth: 'contract-credential' }, ['auth']],
  ['without a token', { type: 'bearer' }, ['auth.token']],
  ['with a number for a token', { type: 'bearer', token: 1 }, ['auth.token']],
  ['with a line break in the token', { type: 'bearer', token: 'contract-credential\r\nHost: x' }, ['auth.token']],
  ['with “Bearer” in the token', { type: 'bearer', token: 'Bearer contract-credential' }, ['auth.token']],
  ['without a password', { type: 'basic', username: 'a' }, ['auth.password']],
  ['with an empty user name and password', { type: 'basic', username: '', password: '' }, ['auth.password']],
  [
    'with a colon in the user name',
    { type: 'basic', username: 'a:b', password: 'contract-credential' },
    ['auth.username'],
  ],
  ['with NUL in the password', { type: 'basic', username: 'a', password: 'contract-credential\0' }, ['auth.password']],
  ...[
    'Host',
    'connection',
    'Transfer-Encoding',
    'Content-Length',
    'Cookie:',
    'X Y',
    'X-A\r\nB',
    'Proxy-Authorization',
    'If-Match',
    'Range',
    'Accept',
    '',
  ].map((name): [string, unknown, string[]] => [
    `in the header ${JSON.stringify(name)}`,
    { type: 'header', name, value: 'contract-credential' },
    ['auth.name'],
  ]),
  [
    'with a line break in the value',
    { type: 'header', name: 'X-Key', value: 'contract-credential\nA: b' },
    ['auth.value'],
  ],
  [
    'with a letter beyond ASCII in the value',
    { type: 'header', name: 'X-Key', value: 'contract-credential é' },
    ['auth.value'],
  ],
  [
    'with a space at the end of the value',
    { type: 'header', name: 'X-Key', value: 'contract-credential ' },
    ['auth.value'],
  ],
  ['with nothing', { type: 'header' }, ['auth.name', 'auth.value']],
];

export const privateRegistryCases: ContractCase[] = [
  ...INVALID.map(([name, body, fields]): ContractCase => ({
    name: `credentials ${name} are refused`,
    method: 'PUT',
    path: registryPath('/auth'),
    send: authenticated({ body }),
    status: 400,
    check: (response, ids) => {
      invalidFields(...fields)(response);
      NO_CREDENTIAL(response);
      expect(ids.id).not.toBe('');
    },
  })),
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
