import {
  type OpenApiObject,
  pageResponses,
  forOrganization,
  requiresScope,
  parameter,
  type Schema,
  type ValueOf,
  text,
  dateTime,
  id,
  choice,
  orNull,
  schemaOf,
  nullable,
  list,
  ref,
  strictObject,
  withDescription,
  next,
  PAGE,
  IF_NONE_MATCH,
} from '../http/openapi.ts';

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

/** All actions that the audit log records. */
export const AUDIT_ACTIONS = [
  'organization-created',
  'organization-suspended',
  'organization-resumed',
  'organization-deleted',
  'token-created',
  'token-issued',
  'token-rotated',
  'token-deleted',
  'session-opened',
  'session-closed',
  'registry-subscribed',
  'registry-renamed',
  'registry-unsubscribed',
  'registry-refresh-requested',
  'registry-credentials-changed',
  'registry-attestations-changed',
  'registry-policy-changed',
  'webhook-created',
  'webhook-changed',
  'webhook-secret-replaced',
  'webhook-deleted',
  'webhook-tested',
  'webhook-redelivered',
  'webhook-disabled',
  'request-refused',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Whether the action was performed, or refused because the scope of the token does not include it. */
const AUDIT_OUTCOMES = ['done', 'refused'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** What an entry says in addition to its target. Never secrets. */
export type AuditDetails = Record<string, string | number | boolean | null>;

/** The schemas of the audit log. */

/** An action in the audit log. */
const auditEntry = strictObject('An action that was done or refused.', {
  id,
  at: dateTime,
  actor: strictObject('Who did it.', {
    type: withDescription(
      choice(ACTOR_TYPES),
      'session: a person who signed in to the pages. visitor: a client without a token. service: the service itself.',
    ),
    token: schemaOf<Actor['token']>({
      description: 'The token of the request, or the token that was used to sign in.',
      ...nullable(strictObject('A token.', { id, name: text })),
    }),
    address: withDescription(orNull(text), 'The address of the client.'),
  }),
  action: choice(AUDIT_ACTIONS),
  target: strictObject('The affected resource, with its name at that time.', {
    id: orNull(text),
    name: orNull(text),
  }),
  outcome: withDescription(choice(AUDIT_OUTCOMES), 'refused: the scope of the token does not include the action.'),
  details: schemaOf<AuditDetails>({
    description: 'Depends on the action.',
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  }),
});
export type AuditEntryView = ValueOf<typeof auditEntry>;

export const auditSchemas: Record<string, Schema> = {
  AuditEntry: auditEntry,
  AuditEntries: strictObject('A page of the audit log, newest entry first.', {
    entries: list(ref('AuditEntry')),
    next,
  }),
};

export const ACTION = parameter('action', 'query', 'Only entries of this action.', { enum: AUDIT_ACTIONS });

/** The audit log. */
export const auditPaths: Record<string, OpenApiObject> = {
  '/api/audit': {
    get: forOrganization('listAudit', 'The audit log of the organization', pageResponses('AuditEntries'), {
      ...requiresScope('admin'),
      parameters: [ACTION, ...PAGE, IF_NONE_MATCH],
    }),
  },
};
