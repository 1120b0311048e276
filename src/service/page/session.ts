import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { parseUrl } from '../../core/http/url.ts';
import type { Service } from '../context.ts';
import { openSession, organizationOfSession } from '../storage/organizations.ts';
import type { OrganizationView } from '../views.ts';

/** Who is at the door: sessions in a cookie, and whether a form was sent from our own page. */

type Public = Pick<Service['settings'], 'publicUrl'>;

/** With its prefix a cookie is taken from this very host alone, over https; plain http knows no such thing. */
function cookieName(settings: Public): string {
  return isSecure(settings) ? '__Host-appreg' : 'appreg';
}

function isSecure({ publicUrl }: Public): boolean {
  return publicUrl?.startsWith('https:') ?? false;
}

export async function signedIn(c: Context, { db, settings }: Service): Promise<OrganizationView | null> {
  const cookie = getCookie(c, cookieName(settings));
  return cookie === undefined ? null : organizationOfSession(db, cookie);
}

/** Opens a session and gives the browser its cookie. */
export async function signIn(c: Context, { db, settings }: Service, organizationId: string): Promise<void> {
  const { cookie, expiresAt } = await openSession(db, organizationId);
  setCookie(c, cookieName(settings), cookie, { ...options(settings), expires: expiresAt });
}

/** Takes the cookie back. @returns its value, or null */
export function signOut(c: Context, settings: Public): string | null {
  return deleteCookie(c, cookieName(settings), options(settings)) ?? null;
}

function options(settings: Public) {
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure(settings) } as const;
}

/**
 * Whether a request comes from a page of ours. Browsers say so themselves (Sec-Fetch-Site, over https and on this
 * machine) or name the origin of every form that they send; a request that does neither is refused.
 */
export function isOwn(c: Context, { publicUrl }: Public): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  if (origin === undefined) return site !== undefined;
  if (site === 'same-origin') return true;
  const own = publicUrl === null ? c.req.header('host') : new URL(publicUrl).host;
  const url = parseUrl(origin);
  return url !== null && url.host === own;
}

/** The path of the public address: a proxy may serve the service below one of its own, and takes that off. */
export function basePath({ publicUrl }: Public): string {
  return publicUrl === null ? '/' : new URL(publicUrl).pathname;
}

/** Where to go after signing in: a path of ours, and nothing that leads elsewhere. */
export function pathWithin(next: string): string {
  if (!/^\/(?![/\\])/.test(next)) return '/';
  const base = 'http://own.invalid';
  const url = parseUrl(next, base);
  if (url === null) return '/';
  const { origin, pathname, search } = url;
  // What is normalised may begin with two slashes only now.
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : '/';
}
