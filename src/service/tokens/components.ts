import { ACTOR_TYPES, AUDIT_ACTIONS, AUDIT_OUTCOMES } from '../history/audit-actions.ts';
import { SCOPES } from './scopes.ts';
import {
  count,
  withDescription,
  id,
  list,
  dateTime,
  next,
  orNull,
  ref,
  type Schema,
  text,
  strictObject,
} from '../http/openapi/schemas.ts';

/** The schemas of tokens, of the audit log, and of organizations as the operator sees them. */

const token: Record<string, Schema> = {
  id,
  name: text,
  scope: ref('Scope'),
  createdAt: dateTime,
  expiresAt: withDescription(orNull(dateTime), 'When the token expires; null if it never does.'),
  lastUsedAt: withDescription(orNull(dateTime), 'Accurate to a minute; null if the token was never used.'),
};

export const accessSchemas: Record<string, Schema> = {
  Scope: {
    enum: SCOPES,
    description:
      'read: everything about registries and apps. manage: also subscriptions, their credentials and checks, and webhooks. admin: also tokens and the audit log.',
  },
  FutureTime: { type: ['string', 'null'], format: 'date-time', description: 'At most ten years ahead.' },
  TokenDetails: strictObject('A token, without its value.', token),
  Tokens: strictObject('A page of tokens, in order of creation.', { tokens: list(ref('TokenDetails')), next }),
  NewToken: strictObject('A token, with its value, which is shown only once.', {
    ...token,
    token: { type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' },
  }),
  AuditEntry: strictObject('An action that was done or refused.', {
    id,
    at: dateTime,
    actor: strictObject('Who did it.', {
      type: {
        enum: ACTOR_TYPES,
        description:
          'session: a person who signed in to the pages. visitor: a client without a token. service: the service itself.',
      },
      token: {
        description: 'The token of the request, or the token that was used to sign in.',
        anyOf: [strictObject('A token.', { id, name: text }), { type: 'null' }],
      },
      address: withDescription(orNull(text), 'The address of the client.'),
    }),
    action: { enum: AUDIT_ACTIONS },
    target: strictObject('The affected resource, with its name at that time.', {
      id: orNull(text),
      name: orNull(text),
    }),
    outcome: { enum: AUDIT_OUTCOMES, description: 'refused: the scope of the token does not include the action.' },
    details: {
      description: 'Depends on the action.',
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    },
  }),
  AuditEntries: strictObject('A page of the audit log, newest entry first.', {
    entries: list(ref('AuditEntry')),
    next,
  }),
  OrganizationSummary: strictObject('An organization as the operator sees it.', {
    id,
    name: text,
    createdAt: dateTime,
    suspendedAt: withDescription(orNull(dateTime), 'When the organization was suspended; null if it is not.'),
    subscriptions: count,
    tokens: count,
    webhooks: count,
    lastUsedAt: withDescription(orNull(dateTime), 'The last use of any of its tokens, accurate to a minute.'),
  }),
  Organizations: strictObject('A page of organizations, in order of creation.', {
    organizations: list(ref('OrganizationSummary')),
    next,
  }),
};
