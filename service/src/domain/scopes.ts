/** Scopes of a token of an organization; each scope includes those before it. */

/**
 * `read`: everything about registries and apps. `manage`: subscriptions, their credentials and checks, webhooks.
 * `admin`: tokens, and the audit log.
 */
export const SCOPES = ['read', 'manage', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

export function allows(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}
