import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { Service } from '../context.ts';
import { organizationOf } from '../storage/organizations.ts';
import type { OrganizationView } from '../views.ts';
import { clientAddress } from './client-address.ts';
import { type Allowances, limitHeaders, openLimiters, type Taken } from './rate-limits.ts';
import { Refusal } from './problems.ts';

/**
 * Authentication and rate limits. API requests are authenticated by the Authorization header only, never by a cookie.
 */
export interface Authenticator {
  /** The organization of the token. @throws Refusal without a valid one, and for too many requests */
  organization(c: Context, change: boolean): Promise<OrganizationView>;
  /** Allows only clients that may create organizations. @throws Refusal likewise */
  operator(c: Context): void;
}

export function openAuthenticator({ db, settings }: Service, allowances: Allowances): Authenticator {
  const limiters = openLimiters(allowances);

  function count(c: Context, name: keyof Allowances, client: string): void {
    const taken = limiters[name].take(client);
    const headers = limitHeaders(name, allowances[name], taken);
    if (!taken.allowed) throw tooMany(taken, headers);
    for (const [field, value] of Object.entries(headers)) c.header(field, value);
  }

  /** A valid token always passes, so that a client cannot lock out others behind the same proxy. */
  function unauthorized(c: Context): Refusal {
    count(c, 'failures', clientAddress(c));
    const sent = c.req.header('authorization') !== undefined;
    const detail = sent ? 'The token is unknown.' : 'Send the token, as Authorization: Bearer apr_…';
    const challenge = sent ? 'Bearer realm="appreg", error="invalid_token"' : 'Bearer realm="appreg"';
    return new Refusal('unauthorized', detail, {}, { 'www-authenticate': challenge });
  }

  return {
    async organization(c, change) {
      const token = bearerOf(c);
      const organization = token === null ? null : await organizationOf(db, token);
      if (organization === null) throw unauthorized(c);
      count(c, change ? 'changes' : 'reads', organization.id);
      return organization;
    },
    operator(c) {
      const token = bearerOf(c);
      if (token !== null && settings.operatorToken !== null && isSame(token, settings.operatorToken)) return;
      if (settings.openSignUp) return count(c, 'signUps', clientAddress(c));
      if (settings.operatorToken !== null) throw unauthorized(c);
      throw new Refusal(
        'sign-up-closed',
        'The operator of the service has set neither OPERATOR_TOKEN nor --open-sign-up.',
      );
    },
  };
}

function tooMany({ wait }: Taken, headers: Record<string, string>): Refusal {
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
