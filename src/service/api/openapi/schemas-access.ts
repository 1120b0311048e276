import { ACTOR_TYPES, AUDIT_ACTIONS, AUDIT_OUTCOMES } from '../../audit-actions.ts';
import { SCOPES } from '../../scopes.ts';
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
} from './schema-parts.ts';

/** The schemas of tokens, of the audit log, and of organizations as the operator sees them. */

const token: Record<string, Schema> = {
  id,
  name: text,
  scope: ref('Scope'),
  createdAt: dateTime,
  expiresAt: withDescription(orNull(dateTime), 'From then on it is refused; null if it does not end.'),
  lastUsedAt: withDescription(orNull(dateTime), 'With the precision of a minute; null if it was never used.'),
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
  AuditEntry: strictObject('Something that was done, or refused.', {
    id: withDescription(text, 'Increases from entry to entry.'),
    at: dateTime,
    actor: strictObject('Who did it.', {
      type: {
        enum: ACTOR_TYPES,
        description:
          'session: a person who signed in on the page. visitor: a client without a token. service: the service itself.',
      },
      token: {
        description: 'The token of the request, or the one that opened the session.',
        anyOf: [strictObject('A token.', { id, name: text }), { type: 'null' }],
      },
      address: withDescription(orNull(text), 'The address of the client.'),
    }),
    action: { enum: AUDIT_ACTIONS },
    target: strictObject('What it was about, with its name at that time.', { id: orNull(text), name: orNull(text) }),
    outcome: { enum: AUDIT_OUTCOMES, description: 'refused: the scope of the token does not include it.' },
    details: {
      description: 'Depends on the action.',
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    },
  }),
  AuditEntries: strictObject('A page of the audit log, the newest entry first.', {
    entries: list(ref('AuditEntry')),
    next,
  }),
  OrganizationSummary: strictObject('An organization as the operator sees it.', {
    id,
    name: text,
    createdAt: dateTime,
    suspendedAt: withDescription(orNull(dateTime), 'Since when its tokens are refused; null if they are not.'),
    subscriptions: count,
    tokens: count,
    webhooks: count,
    lastUsedAt: withDescription(orNull(dateTime), 'The last use of one of its tokens, with the precision of a minute.'),
  }),
  Organizations: strictObject('A page of organizations, in order of creation.', {
    organizations: list(ref('OrganizationSummary')),
    next,
  }),
};
