/** The vocabulary of the audit log. */

/** Who acted: a token, a session of the page, the operator, a visitor who is not signed in, or the service itself. */
export const ACTOR_TYPES = ['token', 'session', 'operator', 'visitor', 'service'] as const;

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
export const AUDIT_OUTCOMES = ['done', 'refused'] as const;

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** What an entry says in addition to its target. Never secrets. */
export type AuditDetails = Record<string, string | number | boolean | null>;
