import { parseUrl } from 'appreg';
import { type Service } from '../context.ts';
import { type Context } from 'hono';
import { type Client } from '../http/client-address.ts';
import { type Identity } from '../db/tokens.ts';
import { getCookie, setCookie, deleteCookie } from 'hono/cookie';
import { identityOfSession, openSession } from '../db/sessions.ts';
import { type OrganizationView } from '../domain/organizations.ts';
import { type Actor } from '../domain/audit.ts';

/** Sessions in a cookie, and protection against cross-site request forgery. */

type PublicUrl = Pick<Service['settings'], 'publicUrl'>;

/**
 * With its prefix, a cookie is accepted only from this host over https; browsers do not support that for plain http.
 */
function cookieName(c: Context, settings: PublicUrl): string {
  return isSecure(c, settings) ? '__Host-appreg' : 'appreg';
}

/** True if the browser uses https: by the public URL, or else as a trusted proxy says. */
function isSecure(c: Context, { publicUrl }: PublicUrl): boolean {
  const { secure }: Client = c.get('client');
  return publicUrl?.startsWith('https:') ?? secure;
}

export async function sessionIdentity(c: Context, { db, settings }: Service): Promise<Identity | null> {
  const cookie = getCookie(c, cookieName(c, settings));
  return cookie === undefined ? null : identityOfSession(db, cookie);
}

/** Creates a session and sets its cookie. @param token that the session has the scope and the end of */
export async function signIn(
  c: Context,
  { db, settings }: Service,
  organization: OrganizationView,
  token: { id: string; actor: Actor },
): Promise<void> {
  const { cookie, expiresAt } = await openSession(db, organization, token.id, token.actor);
  setCookie(c, cookieName(c, settings), cookie, { ...cookieOptions(c, settings), expires: expiresAt });
}

/** Deletes the cookie. @returns its value, or null */
export function signOut(c: Context, settings: PublicUrl): string | null {
  return deleteCookie(c, cookieName(c, settings), cookieOptions(c, settings)) ?? null;
}

function cookieOptions(c: Context, settings: PublicUrl) {
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure(c, settings) } as const;
}

/**
 * True if a request comes from one of our pages. Browsers send Sec-Fetch-Site (over https and on localhost) or the
 * Origin of every form submission; a request with neither is refused.
 */
export function isFromOwnPage(c: Context, { publicUrl }: PublicUrl): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  if (origin === undefined) return site !== undefined;
  if (site === 'same-origin') return true;
  const own = publicUrl === null ? c.req.header('host') : new URL(publicUrl).host;
  const url = parseUrl(origin);
  return url !== null && url.host === own;
}

/** The path of the public URL: a proxy may serve the service below a prefix, and strip it. */
export function basePath({ publicUrl }: PublicUrl): string {
  return publicUrl === null ? '/' : new URL(publicUrl).pathname;
}

/** The path to redirect to after signing in, restricted to our own pages. */
export function safeRedirectPath(next: string): string {
  if (!/^\/(?![/\\])/.test(next)) return '/';
  const base = 'http://own.invalid';
  const url = parseUrl(next, base);
  if (url === null) return '/';
  const { origin, pathname, search } = url;
  // The path may start with two slashes only after normalization.
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : '/';
}
