import { expect } from 'vitest';
import { asOperator, authenticated, type ContractCase, invalidFields, problemType } from './contract-case.ts';

/** Tokens, the audit log, and what the operator does with organizations. */

const NEW_TOKEN = { name: ' CI ', scope: 'read', expiresAt: '2030-01-31T12:00:00+01:00' };

export const accessCases: ContractCase[] = [
  {
    name: 'tokens are listed in order of creation, without their values',
    method: 'GET',
    path: '/api/tokens',
    send: authenticated(),
    status: 200,
    check: ({ json, text }) => {
      expect(json.tokens).toMatchObject([
        { name: 'First token', scope: 'admin', expiresAt: null },
        { name: 'Pipeline', scope: 'manage' },
      ]);
      expect(text).not.toContain('apr_');
    },
  },
  {
    name: 'tokens are paged',
    method: 'GET',
    path: '/api/tokens?limit=1',
    send: authenticated(),
    status: 200,
    check: ({ json }) => expect([json.tokens.length, json.next]).toEqual([1, json.tokens[0].id]),
  },
  {
    name: 'an invalid page of tokens is refused',
    method: 'GET',
    path: '/api/tokens?after=x',
    send: authenticated(),
    status: 400,
    check: invalidFields('after'),
  },
  {
    name: 'a token is created, with an end in UTC',
    method: 'POST',
    path: '/api/tokens',
    send: authenticated({ body: NEW_TOKEN }),
    status: 201,
    check: ({ json }) => {
      expect(json).toMatchObject({
        name: 'CI',
        scope: 'read',
        expiresAt: '2030-01-31T11:00:00.000Z',
        lastUsedAt: null,
      });
    },
  },
  ...[
    'yesterday',
    '2020-01-01T00:00:00Z',
    '2200-01-01T00:00:00Z',
    '2030-01-31',
    '2030-02-31T99:00:00Z',
    '2030-02-30T12:00:00Z',
    5,
  ].map((expiresAt): ContractCase => ({
    name: `a token that ends at ${expiresAt} is refused`,
    method: 'POST',
    path: '/api/tokens',
    send: authenticated({ body: { ...NEW_TOKEN, expiresAt } }),
    status: 400,
    check: invalidFields('expiresAt'),
  })),
  {
    name: 'a token without a name and with an unknown scope is refused',
    method: 'POST',
    path: '/api/tokens',
    send: authenticated({ body: { scope: 'owner' } }),
    status: 400,
    check: invalidFields('name', 'scope'),
  },
  {
    name: 'a token is deleted',
    method: 'DELETE',
    path: ({ tokenId }) => `/api/tokens/${tokenId}`,
    send: authenticated(),
    status: 204,
  },
  {
    name: 'the last token with the scope admin is not deleted',
    method: 'DELETE',
    path: ({ firstTokenId }) => `/api/tokens/${firstTokenId}`,
    send: authenticated(),
    status: 409,
    check: problemType('last-admin-token'),
  },
  {
    name: 'the audit log lists the newest entry first, with the actor',
    method: 'GET',
    path: '/api/audit?limit=1',
    send: authenticated(),
    status: 200,
    check: ({ json }, { tokenId, firstTokenId }) => {
      expect(json.entries).toMatchObject([
        {
          action: 'token-deleted',
          target: { id: tokenId, name: 'Pipeline' },
          actor: { type: 'token', token: { id: firstTokenId, name: 'First token' } },
          outcome: 'done',
        },
      ]);
      expect(json.next).toBe(json.entries[0].id);
    },
  },
  {
    name: 'the audit log is filtered by action',
    method: 'GET',
    path: '/api/audit?action=organization-created',
    send: authenticated(),
    status: 200,
    check: ({ json }, { organization }) =>
      expect(json.entries).toMatchObject([{ target: { id: organization, name: 'Acme' } }]),
  },
  {
    name: 'an unknown action of the audit log is refused',
    method: 'GET',
    path: '/api/audit?action=token-stolen',
    send: authenticated(),
    status: 400,
    check: invalidFields('action'),
  },
  ...['x', '-1', '99999999999999999999'].map((after): ContractCase => ({
    name: `the audit log after ${after} is refused`,
    method: 'GET',
    path: `/api/audit?after=${after}`,
    send: authenticated(),
    status: 400,
    check: invalidFields('after'),
  })),
  {
    name: 'the operator lists the organizations',
    method: 'GET',
    path: '/api/organizations?search=ACME&limit=1',
    send: asOperator({}),
    status: 200,
    check: ({ json }, { organization }) => {
      expect(json.organizations).toMatchObject([{ id: organization, name: 'Acme', subscriptions: 1, webhooks: 2 }]);
      expect(json.organizations[0].lastUsedAt).toMatch(/Z$/);
    },
  },
  {
    name: 'an invalid page of organizations is refused',
    method: 'GET',
    path: '/api/organizations?after=x',
    send: asOperator({}),
    status: 400,
    check: invalidFields('after'),
  },
  {
    name: 'the operator reads an organization',
    method: 'GET',
    path: ({ spare }) => `/api/organizations/${spare}`,
    send: asOperator({}),
    status: 200,
    check: ({ json }) => expect(json).toMatchObject({ name: 'Spare', suspendedAt: null, tokens: 1 }),
  },
  {
    name: 'the operator suspends an organization',
    method: 'POST',
    path: ({ spare }) => `/api/organizations/${spare}/suspend`,
    send: asOperator({}),
    status: 200,
    check: ({ json }) => expect(json.suspendedAt).not.toBeNull(),
  },
  {
    name: 'the operator resumes an organization',
    method: 'POST',
    path: ({ spare }) => `/api/organizations/${spare}/resume`,
    send: asOperator({}),
    status: 200,
    check: ({ json }) => expect(json.suspendedAt).toBeNull(),
  },
  {
    name: 'the operator issues a token again',
    method: 'POST',
    path: ({ spare }) => `/api/organizations/${spare}/token`,
    send: asOperator({}),
    status: 201,
    check: ({ json }) => expect(json).toMatchObject({ name: 'Issued by the operator', scope: 'admin' }),
  },
  {
    name: 'the operator deletes an organization',
    method: 'DELETE',
    path: ({ spare }) => `/api/organizations/${spare}`,
    send: asOperator({}),
    status: 204,
  },
  {
    name: 'what the operator did with a deleted organization is still in its audit log',
    method: 'GET',
    path: ({ spare }) => `/api/organizations/${spare}/audit`,
    send: asOperator({}),
    status: 200,
    check: ({ json }) => {
      const actions = json.entries.map(({ action }: { action: string }) => action);
      expect(actions).toEqual([
        'organization-deleted',
        'token-issued',
        'organization-resumed',
        'organization-suspended',
      ]);
      expect(json.entries[0]).toMatchObject({ actor: { type: 'operator', token: null }, target: { name: 'Spare' } });
    },
  },
  {
    name: 'an invalid filter of the audit log of an organization is refused',
    method: 'GET',
    path: ({ spare }) => `/api/organizations/${spare}/audit?action=x`,
    send: asOperator({}),
    status: 400,
    check: invalidFields('action'),
  },
];
