import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATOR, openWebFixture, type WebFixture } from '../web-fixture.ts';
import { type ApiRequest, callApi } from './contract.ts';

/** A response with status 400 names all invalid fields or parameters at once, with their values. */

let web: WebFixture;
let token: string;
beforeAll(async () => {
  web = await openWebFixture();
  ({ token } = await web.join());
});
afterAll(() => web.stop());

const send = async (method: string, path: string, request: ApiRequest = {}) => {
  const { status, json } = await callApi(web.app(), method, path, { token, ...request });
  const { errors = [], detail } = json as {
    errors?: { field: string; pointer?: string; detail: string }[];
    detail: string;
  };
  return { status, errors: errors.map((one) => [one.pointer ?? one.field, one.detail]), detail };
};

interface Case {
  name: string;
  method: string;
  path: string;
  /** The token, if it is another one than that of an organization. */
  by?: string;
  headers?: Record<string, string>;
  body?: Record<string, unknown>;
  errors: [string, string][];
}

test.each<Case>([
  {
    name: 'a subscription',
    method: 'POST',
    path: '/api/registries/subscribe',
    body: { url: 'apps', name: 7, auth: { type: 'basic', username: 'a:b', password: 3 } },
    errors: [
      [
        '/url',
        'This is not the URL of a registry. Enter the full URL of its manifest, such as https://apps.example.com/registry.json Received: “apps”.',
      ],
      ['/name', 'The field “name” is not a string. Received: “7”.'],
      ['/auth/username', 'The field “auth.username” contains'],
      ['/auth/password', 'The field “auth.password” is not a string.'],
    ],
  },
  {
    name: 'a subscription without fields',
    method: 'POST',
    path: '/api/registries/subscribe',
    body: {},
    errors: [
      ['/url', 'The field “url” is missing.'],
      ['/name', 'The field “name” is missing.'],
    ],
  },
  {
    name: 'a token',
    method: 'POST',
    path: '/api/tokens',
    body: { name: '', scope: 'boss', expiresAt: 'soon' },
    errors: [
      ['/name', 'The field “name” is empty. Received: “”.'],
      ['/scope', 'The field “scope” is not one of'],
      ['/expiresAt', 'The field “expiresAt” is not a time'],
    ],
  },
  {
    name: 'a webhook',
    method: 'POST',
    path: '/api/webhooks',
    body: { url: 'x', events: ['none'] },
    errors: [
      ['/url', 'The field “url” is not the full URL'],
      ['/events', 'The field “events” contains an unknown event type.'],
    ],
  },
  {
    name: 'an organization',
    method: 'POST',
    path: '/api/organizations',
    by: OPERATOR,
    headers: { 'idempotency-key': 'short' },
    body: { name: 7 },
    errors: [
      ['Idempotency-Key', 'The Idempotency-Key is not 16 to 255 visible ASCII characters.'],
      ['/name', 'The field “name” is not a string. Received: “7”.'],
    ],
  },
  {
    name: 'a policy',
    method: 'PUT',
    path: '/api/registries/none/policy',
    body: { policy: { schema: 2, deny: ['clock@latest'], pin: { clock: 'newest' } }, confirm: 'yes' },
    errors: [
      ['/policy/schema', '“schema” must be 1, not 2.'],
      ['/policy/deny/0', '“latest” in “deny[0]” is not a version range'],
      ['/policy/pin/clock', '“newest” in “pin.clock” is not a version range'],
      ['/confirm', 'The field “confirm” is neither true nor false. Received: “yes”.'],
    ],
  },
  {
    name: 'a policy that is missing',
    method: 'PUT',
    path: '/api/registries/none/policy',
    body: { confirm: 1 },
    errors: [
      ['/policy', 'The field “policy” is missing.'],
      ['/confirm', 'The field “confirm” is neither true nor false. Received: “1”.'],
    ],
  },
  {
    name: 'attestations',
    method: 'PUT',
    path: '/api/registries/none/attestations',
    body: { mode: 'always', issuer: 1, identity: 'é', repository: 'x' },
    errors: [
      ['/issuer', 'The field “issuer” is neither a string nor null. Received: “1”.'],
      ['/mode', 'The field “mode” is not one of off, report, require. Received: “always”.'],
      ['/repository', 'The field “repository” is not an https URL'],
      ['/identity', 'The field “identity” contains characters other than printable ASCII.'],
    ],
  },
  {
    name: 'attestations with a key and an identity',
    method: 'PUT',
    path: '/api/registries/none/attestations',
    body: { mode: 'require', publicKey: 'x', issuer: 'y' },
    errors: [
      ['/publicKey', 'The field “publicKey” is used with an identity.'],
      ['/issuer', 'The field “issuer” is not an https URL'],
    ],
  },
  {
    name: 'a list',
    method: 'GET',
    path: '/api/events?limit=0&after=x&type=boom',
    errors: [
      ['type', 'The parameter “type” is not one of'],
      ['limit', 'The parameter “limit” is not a number from 1 to'],
      ['after', 'The parameter “after” is not the “next” value of a previous page. Received: “x”.'],
    ],
  },
  {
    name: 'the audit log',
    method: 'GET',
    path: '/api/audit?limit=many&action=boom',
    errors: [
      ['limit', 'The parameter “limit” is not a number from 1 to'],
      ['action', 'The parameter “action” is not one of'],
    ],
  },
])('$name', async ({ method, path, by = token, headers = {}, body, errors }) => {
  const response = await send(method, path, { token: by, headers, ...(body === undefined ? {} : { body }) });
  expect(response.status).toBe(400);
  expect(response.errors.map(([place]) => place)).toEqual(errors.map(([place]) => place));
  for (const [index, [, detail]] of errors.entries()) {
    expect(response.errors[index]![1]).toContain(detail);
    expect(response.detail).toContain(response.errors[index]![1]);
  }
});

test('secrets are not repeated', async () => {
  const auth = { type: 'header', name: 'host', value: 'secret-canary\n' };
  const body = { url: 'https://user:secret-canary@apps.example.com/', name: 'x', auth };
  const response = await send('POST', '/api/registries/subscribe', { body });
  expect(response.errors.map(([place]) => place)).toEqual(['/url', '/auth/name', '/auth/value']);
  expect(JSON.stringify(response)).not.toContain('secret-canary');
});
