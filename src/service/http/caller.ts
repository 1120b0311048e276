import type { Actor } from '../history/audit-actions.ts';
import type { Scope } from '../tokens/scopes.ts';
import type { AuditRecord } from '../history/audit-store.ts';
import type { Identity } from '../tokens/store.ts';
import type { OrganizationView } from '../views.ts';

/** The organization of a request, and the token that the request, or the session of its page, was authenticated with. */
export interface Caller {
  /** Of the organization. */
  id: string;
  organization: OrganizationView;
  scope: Scope;
  tokenId: string;
  /** For the audit log. */
  actor: Actor;
}

export function callerOf(type: 'token' | 'session', { organization, token }: Identity, address: string): Caller {
  const actor: Actor = { type, token: { id: token.id, name: token.name }, address };
  return { id: organization.id, organization, scope: token.scope, tokenId: token.id, actor };
}

/** The entry of the audit log for a request that the scope of the token does not include. @param request its method and route */
export function refusedRequest(caller: Caller, needed: Scope, request: string): AuditRecord {
  return {
    organizationId: caller.id,
    actor: caller.actor,
    action: 'request-refused',
    target: { name: request },
    outcome: 'refused',
    details: { scope: caller.scope, needed },
  };
}
