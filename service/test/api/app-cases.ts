import { expect } from 'vitest';
import { DOCUMENT } from './contract.ts';
import {
  authenticated,
  type ContractCase,
  type ContractIds,
  invalidFields,
  registryPath,
  UNKNOWN_ID,
} from './contract-case.ts';

/** Apps, versions and icons, and what is public. */

const iconPath = ({ icon }: ContractIds): string => `/api/icons/${icon}`;

export const appCases: ContractCase[] = [
  {
    name: 'an organization lists the apps of a registry, with control characters escaped',
    method: 'GET',
    path: registryPath('/apps'),
    send: authenticated(),
    status: 200,
    check: ({ json, text }) => {
      expect(json.apps).toHaveLength(3);
      expect(json.apps[0].name).toBe('Mail \u202e\u001b[2J');
      expect(text).toContain('Mail \\u202e\\u001b[2J');
    },
  },
  {
    name: 'apps are filtered, searched and paged',
    method: 'GET',
    path: registryPath('/apps?visible=false&limit=1&search=The'),
    send: authenticated(),
    status: 200,
    check: ({ json }) => expect(json).toMatchObject({ apps: [{ key: 'refused' }], next: 'refused' }),
  },
  {
    name: 'a limit of apps that is too large is refused',
    method: 'GET',
    path: registryPath('/apps?limit=501'),
    send: authenticated(),
    status: 400,
    check: invalidFields('limit'),
  },
  {
    name: 'a filter that is not a boolean is refused',
    method: 'GET',
    path: registryPath('/apps?visible=1'),
    send: authenticated(),
    status: 400,
    check: invalidFields('visible'),
  },
  {
    name: 'a search text that is too long is refused',
    method: 'GET',
    path: registryPath(`/apps?search=${'x'.repeat(201)}`),
    send: authenticated(),
    status: 400,
    check: invalidFields('search'),
  },
  { name: 'listing apps needs a token', method: 'GET', path: registryPath('/apps'), status: 401 },
  {
    name: 'the apps of an unknown registry are not found',
    method: 'GET',
    path: `/api/registries/${UNKNOWN_ID}/apps`,
    send: authenticated(),
    status: 404,
  },
  {
    name: 'an organization reads an app',
    method: 'GET',
    path: registryPath('/apps/mail'),
    send: authenticated(),
    status: 200,
    check: ({ json }, { icon }) => expect(json).toMatchObject({ key: 'mail', latest: '1.1.0', icon }),
  },
  { name: 'reading an app needs a token', method: 'GET', path: registryPath('/apps/mail'), status: 401 },
  {
    name: 'an unknown app is not found',
    method: 'GET',
    path: registryPath('/apps/none'),
    send: authenticated(),
    status: 404,
  },
  {
    name: 'the versions of an app are listed, the latest first',
    method: 'GET',
    path: registryPath('/apps/mail/versions'),
    send: authenticated(),
    status: 200,
    check: ({ json }) =>
      expect(json.versions.map(({ version }: { version: string }) => version)).toEqual(['1.1.0', '1.0.0']),
  },
  {
    name: 'a refused version is listed with its reason',
    method: 'GET',
    path: registryPath('/apps/refused/versions'),
    send: authenticated(),
    status: 200,
    check: ({ json }) =>
      expect(json.versions[0].reason).toEqual({ rule: 'unreachable', message: 'It answers with 404.' }),
  },
  { name: 'listing versions needs a token', method: 'GET', path: registryPath('/apps/mail/versions'), status: 401 },
  {
    name: 'a limit of versions that is too small is refused',
    method: 'GET',
    path: registryPath('/apps/mail/versions?limit=0'),
    send: authenticated(),
    status: 400,
    check: invalidFields('limit'),
  },
  {
    name: 'the versions of an unknown app are not found',
    method: 'GET',
    path: registryPath('/apps/none/versions'),
    send: authenticated(),
    status: 404,
  },
  {
    name: 'the installable apps of all registries are listed',
    method: 'GET',
    path: '/api/apps?search=mail',
    send: authenticated(),
    status: 200,
    check: ({ json }, { id }) => expect(json.apps).toMatchObject([{ key: 'mail', registry: { id } }]),
  },
  {
    name: 'a page after an invalid cursor is refused',
    method: 'GET',
    path: '/api/apps?after=x',
    send: authenticated(),
    status: 400,
    check: invalidFields('after'),
  },
  { name: 'listing installable apps needs a token', method: 'GET', path: '/api/apps', status: 401 },
  {
    name: 'an icon is served with restrictive headers',
    method: 'GET',
    path: iconPath,
    send: authenticated(),
    status: 200,
    check: ({ headers, text }) => {
      expect(text).toMatch(/^<svg/);
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toMatch(/^private/);
    },
  },
  {
    name: 'an icon with the known ETag is not sent again',
    method: 'GET',
    path: iconPath,
    send: ({ token, icon }) => ({ token, headers: { 'if-none-match': `W/"${icon}"` } }),
    status: 304,
  },
  { name: 'reading an icon needs a token', method: 'GET', path: iconPath, status: 401 },
  {
    name: 'an unknown icon is not found',
    method: 'GET',
    path: `/api/icons/${'0'.repeat(64)}`,
    send: authenticated(),
    status: 404,
  },
  {
    name: 'the OpenAPI document is public',
    method: 'GET',
    path: '/api/openapi.json',
    status: 200,
    check: ({ json }) => expect(json).toEqual(DOCUMENT),
  },
  { name: 'the liveness check is public', method: 'GET', path: '/healthz', status: 200 },
  { name: 'the readiness check is public', method: 'GET', path: '/readyz', status: 200 },
  {
    name: 'metrics are public',
    method: 'GET',
    path: '/metrics',
    status: 200,
    check: ({ text }) => expect(text).toContain('appreg_http_requests_total'),
  },
];
