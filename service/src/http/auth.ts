import { type OrganizationView } from '../domain/organizations.ts';
import { type Scope, allows } from '../domain/scopes.ts';
import { type Actor } from '../domain/audit.ts';
import { type Identity, identityOfToken, writeTokenUse } from '../db/tokens.ts';
import { type AuditRecord, recordAudit } from '../db/audit.ts';
import { type Context } from 'hono';
import { type Service } from '../context.ts';
import { type Limiters, limitHeaders, type LimiterResult } from './rate-limits.ts';
import { Refusal } from './problems.ts';
import { clientNetwork, clientAddress } from './client-address.ts';
import { timingSafeEqual, createHash } from 'node:crypto';
import { type Db } from '../db/database.ts';
import { type Log, errorMessage } from '../log.ts';

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

/**
 * Authentication and rate limits. API requests are authenticated by the Authorization header only, never by a cookie.
 */
export interface Authenticator {
  /**
   * The organization of the token.
   * @param route as in the OpenAPI document, for the audit log
   * @throws Refusal without a valid token of the scope, and for too many requests
   */
  organization(c: Context, route: { method: string; path: string; scope: Scope }): Promise<Caller>;
  /** Allows only the operator. @throws Refusal likewise */
  operator(c: Context): Actor;
  /** Allows only clients that may create organizations. @throws Refusal likewise */
  signUp(c: Context): Actor;
}

export function openAuthenticator(
  { db, settings, log }: Pick<Service, 'db' | 'settings' | 'log'>,
  limiters: Limiters,
): Authenticator {
  const count = openRequestCounter(limiters);

  /** A valid token always passes, so that a client cannot lock out others behind the same proxy. */
  function unauthorized(c: Context, detail: string | null = null): Refusal {
    count(c, 'failures', clientNetwork(c));
    const sent = c.req.header('authorization') !== undefined;
    const fault = sent ? 'The token is not valid.' : 'Send the token as Authorization: Bearer apr_…';
    const challenge = sent ? 'Bearer realm="appreg", error="invalid_token"' : 'Bearer realm="appreg"';
    return new Refusal('unauthorized', detail ?? fault, {}, { 'www-authenticate': challenge });
  }

  function isOperator(c: Context): boolean {
    const token = bearerOf(c);
    return token !== null && settings.operatorToken !== null && isSame(token, settings.operatorToken);
  }

  return {
    async organization(c, { method, path, scope }) {
      const token = bearerOf(c);
      const identity = token === null ? null : await identityOfToken(db, token);
      if (identity === null) throw unauthorized(c);
      if (identity.expired) throw unauthorized(c, 'The token has expired. Create a new one.');
      count(c, method === 'GET' ? 'reads' : 'changes', identity.organization.id);
      if (identity.suspended) throw suspended();
      const caller = callerOf('token', identity, clientAddress(c));
      if (!allows(identity.token.scope, scope)) {
        await recordAudit(db, refusedRequest(caller, scope, `${method} ${path}`));
        throw insufficientScope(identity.token.scope, scope);
      }
      await recordTokenUse(db, log, identity);
      return caller;
    },
    operator(c) {
      if (isOperator(c)) return operatorActor(c);
      if (settings.operatorToken !== null) throw unauthorized(c);
      count(c, 'failures', clientNetwork(c));
      throw new Refusal('no-operator', 'The operator of the service has not set OPERATOR_TOKEN.');
    },
    signUp(c) {
      if (isOperator(c)) return operatorActor(c);
      if (settings.openSignUp) {
        count(c, 'signUps', clientNetwork(c));
        return { type: 'visitor', token: null, address: clientAddress(c) };
      }
      if (settings.operatorToken !== null) throw unauthorized(c);
      throw new Refusal(
        'sign-up-closed',
        'The operator of the service has set neither OPERATOR_TOKEN nor --open-sign-up.',
      );
    },
  };
}

/** Counts a request of a client, and sets the headers of the limit. @throws Refusal if the request exceeds it */
type RequestCounter = (c: Context, name: keyof Limiters, client: string) => void;

function openRequestCounter(limiters: Limiters): RequestCounter {
  return (c, name, client) => {
    const taken = limiters[name].take(client);
    const headers = limitHeaders(name, limiters[name].limit, taken);
    if (!taken.allowed) throw tooMany(taken, headers);
    for (const [field, value] of Object.entries(headers)) c.header(field, value);
  };
}

function operatorActor(c: Context): Actor {
  return { type: 'operator', token: null, address: clientAddress(c) };
}

function suspended(): Refusal {
  return new Refusal(
    'organization-suspended',
    'The operator of the service has suspended the organization. Ask the operator to resume it.',
  );
}

function insufficientScope(scope: Scope, needed: Scope): Refusal {
  return new Refusal(
    'insufficient-scope',
    `The token has the scope “${scope}”, but this request requires “${needed}”.`,
    {},
    { 'www-authenticate': `Bearer realm="appreg", error="insufficient_scope", scope="${needed}"` },
  );
}

function tooMany({ wait }: LimiterResult, headers: Record<string, string>): Refusal {
  return new Refusal('too-many-requests', `Try again in ${wait} s.`, {}, headers);
}

function bearerOf(c: Context): string | null {
  return /^Bearer +(\S{1,512})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
}

/** Constant-time comparison. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Records the use of a token. If the database cannot be written, the request continues. */
export async function recordTokenUse(db: Db, log: Log, { token, isUseStale }: Identity): Promise<void> {
  if (!isUseStale) return;
  await writeTokenUse(db, token.id).catch((error: unknown) =>
    log('warn', 'token-use-not-recorded', { error: errorMessage(error) }),
  );
}
