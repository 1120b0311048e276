import { keysOf } from 'appreg';
import * as shape from './shape.ts';

/** The vocabulary of the audit log. */

/** Who acted: a token, a session of the page, the operator, a visitor who is not signed in, or the service itself. */
const ACTOR_TYPES = ['token', 'session', 'operator', 'visitor', 'service'] as const;

export interface Actor {
  type: (typeof ACTOR_TYPES)[number];
  /** The token of the request, or the one that opened the session; null for others. */
  token: { id: string; name: string } | null;
  /** The address of the client; null for the service itself. */
  address: string | null;
}

/** The service acts by itself, such as when it disables a webhook. */
export const SERVICE_ACTOR: Actor = { type: 'service', token: null, address: null };

/** All actions that the audit log records, and what the pages call them. */
export const AUDIT_ACTION_NAMES = {
  'organization-created': 'Organization created',
  'organization-suspended': 'Organization suspended',
  'organization-resumed': 'Organization resumed',
  'organization-deleted': 'Organization deleted',
  'token-created': 'Token created',
  'token-issued': 'Token issued by the operator',
  'token-rotated': 'Token rotated',
  'token-deleted': 'Token deleted',
  'session-opened': 'Signed in',
  'session-closed': 'Signed out',
  'registry-subscribed': 'Registry subscribed',
  'registry-renamed': 'Registry renamed',
  'registry-unsubscribed': 'Registry unsubscribed',
  'registry-refresh-requested': 'Refresh requested',
  'registry-credentials-changed': 'Credentials changed',
  'registry-attestations-changed': 'Attestations changed',
  'registry-policy-changed': 'Policy changed',
  'webhook-created': 'Webhook created',
  'webhook-changed': 'Webhook changed',
  'webhook-secret-replaced': 'Secret of a webhook replaced',
  'webhook-deleted': 'Webhook deleted',
  'webhook-tested': 'Webhook tested',
  'webhook-redelivered': 'Event sent again',
  'webhook-disabled': 'Webhook disabled',
  'request-refused': 'Request refused',
};

export type AuditAction = keyof typeof AUDIT_ACTION_NAMES;

export const AUDIT_ACTIONS: readonly AuditAction[] = keysOf(AUDIT_ACTION_NAMES);

/** True if the action was performed, or refused because the scope of the token does not include it. */
const AUDIT_OUTCOMES = ['done', 'refused'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Details of an entry in addition to its target. Never secrets. */
export type AuditDetails = Record<string, string | number | boolean | null>;

/** The schemas of the audit log. */

/** An action in the audit log. */
export const auditEntry = shape.strictObject('An action that was done or refused.', {
  id: shape.id,
  at: shape.dateTime,
  actor: shape.strictObject('Who did it.', {
    type: shape.withDescription(
      shape.choice(ACTOR_TYPES),
      'session: a person who signed in to the pages. visitor: a client without a token. service: the service itself.',
    ),
    token: shape.schemaOf<Actor['token']>({
      description: 'The token of the request, or the token that was used to sign in.',
      ...shape.nullable(shape.strictObject('A token.', { id: shape.id, name: shape.text })),
    }),
    address: shape.withDescription(shape.orNull(shape.text), 'The address of the client.'),
  }),
  action: shape.choice(AUDIT_ACTIONS),
  target: shape.strictObject('The affected resource, with its name at that time.', {
    id: shape.orNull(shape.text),
    name: shape.orNull(shape.text),
  }),
  outcome: shape.withDescription(
    shape.choice(AUDIT_OUTCOMES),
    'refused: the scope of the token does not include the action.',
  ),
  details: shape.schemaOf<AuditDetails>({
    description: 'Depends on the action.',
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  }),
});
export type AuditEntryView = shape.ValueOf<typeof auditEntry>;
