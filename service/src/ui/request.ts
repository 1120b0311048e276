import { isBlank } from 'appreg';
import { type Context } from 'hono';
import { type Env } from '../http/routes.ts';
import { type OrganizationView } from '../domain/organizations.ts';
import { type Caller, recordTokenUse, callerOf } from '../http/auth.ts';
import { type Screen, type Frame, layout } from './layout.ts';
import { type Service } from '../context.ts';
import { basePath, sessionIdentity } from './session.ts';
import { pathParameter } from '../http/query.ts';
import { LONGEST_SEARCH, isUuid } from '../db/page.ts';
import { clientAddress } from '../http/client-address.ts';
import { readBytes, BODY_ENTRIES } from '../http/body.ts';

export type PageStatus = 200 | 400 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 501 | 503;

/** A page that is shown in place of a requested one. */
export interface ErrorPage {
  status: PageStatus;
  title: string;
  text: string;
}

export const SUSPENDED: ErrorPage = {
  status: 403,
  title: 'The organization is suspended',
  text: 'The operator of this service has suspended the organization. Ask the operator to resume it.',
};

/** Ends a request with an error page. */
export class PageError extends Error {
  readonly page: ErrorPage;

  constructor(page: ErrorPage) {
    super(page.title);
    this.page = page;
  }
}

/** Input of the handlers of pages, and their responses. */

export type PageContext = Context<Env>;

export interface PageRequest {
  c: PageContext;
  /** Null if not signed in. */
  organization: OrganizationView | null;
  /** The same, with the token that the session was opened with. */
  member: Caller | null;
  now: Date;
  show(screen: Screen, status?: PageStatus): Response | Promise<Response>;
  /** Redirects to another page, by GET. */
  redirectTo(path: string): Response;
  /** A parameter of the path. */
  parameter(name: string): string;
  /** A parameter of the query; null if missing. */
  query(name: string): string | null;
  /** A field of the submitted form; '' if missing. */
  formField(name: string): string;
  /** Counts a request of an address that is not signed in. @throws PageError if it exceeds the limit */
  count(name: 'failures' | 'signUps'): void;
}

export interface MemberRequest extends PageRequest {
  organization: OrganizationView;
  member: Caller;
}

const BODY_LIMIT = 64 * 1024;
const AMPERSAND = '&'.charCodeAt(0);
const FORM_TYPE = 'application/x-www-form-urlencoded';

const NOT_A_FORM: ErrorPage = {
  status: 415,
  title: 'Not a form',
  text: `Send the form as ${FORM_TYPE}, as browsers do.`,
};

export async function readRequest(c: PageContext, service: Service, count: PageRequest['count']): Promise<PageRequest> {
  const { settings } = service;
  const member = await memberOf(c, service);
  const organization = member?.organization ?? null;
  c.set('organization', organization ?? undefined);
  const form = c.req.method === 'POST' ? await readForm(c) : null;
  return {
    c,
    organization,
    member,
    now: new Date(),
    show: (screen, status = 200) => showScreen(c, settings, screen, { status, member }),
    redirectTo: (path) => c.body(null, 303, { ...PAGE_HEADERS, Location: basePath(settings) + path.slice(1) }),
    parameter: (name) => pathParameter(c, name),
    query: (name) => c.req.query(name) ?? null,
    formField: (name) => form?.get(name) ?? '',
    count,
  };
}

/** The words to search for; '' for none, and for invisible characters alone, which the page could not name. */
export function searchIn({ query }: PageRequest): string {
  // Not the first half of a character that consists of two UTF-16 units.
  const search = (query('q') ?? '')
    .trim()
    .slice(0, LONGEST_SEARCH)
    .replace(/[\ud800-\udbff]$/, '');
  return isBlank(search) ? '' : search;
}

/** The id of the entry that the requested page of a list begins after; null for the first page. */
export function cursorIn({ query }: PageRequest): string | null {
  const after = query('after') ?? '';
  return isUuid(after) ? after : null;
}

/** The number of the requested page, from 1. */
export function pageNumberIn({ query }: PageRequest): number {
  const text = query('page') ?? '1';
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

/** The organization and the session of a request; null if not signed in. @throws PageError if it is suspended */
export async function memberOf(c: PageContext, service: Service): Promise<Caller | null> {
  const identity = await sessionIdentity(c, service);
  if (identity === null) return null;
  if (identity.suspended) throw new PageError(SUSPENDED);
  await recordTokenUse(service.db, service.log, identity);
  const member = callerOf('session', identity, clientAddress(c));
  c.set('caller', member);
  return member;
}

/** @throws PageError for another content type, and for a form beyond the limits */
async function readForm(c: PageContext): Promise<URLSearchParams> {
  const type = c.req.header('content-type') ?? FORM_TYPE;
  if (!new RegExp(`^${FORM_TYPE}\\s*(;|$)`, 'i').test(type)) throw new PageError(NOT_A_FORM);
  const bytes = await readBytes(c, BODY_LIMIT);
  if (bytes === null || bytes.filter((byte) => byte === AMPERSAND).length >= BODY_ENTRIES)
    throw new PageError({ status: 413, title: 'Too large', text: 'The form data is too large.' });
  return new URLSearchParams(bytes.toString('utf8'));
}

/** Responds with a page. */
export function showScreen(
  c: PageContext,
  settings: Service['settings'],
  screen: Screen,
  { status, member }: { status: PageStatus; member: Caller | null },
): Response | Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const here = `./${pathname.slice(1)}${search}`;
  const frame: Frame = {
    organization: member?.organization ?? null,
    scope: member?.scope ?? 'read',
    now: new Date(),
    base: basePath(settings),
    here,
  };
  // A GET request for the address of a form responds with another page.
  const shown = c.req.method === 'POST' ? { ...screen, refreshAfter: null } : screen;
  return c.html(layout(frame, shown), status, PAGE_HEADERS);
}

/** Security headers of all pages: only our own resources may run, load, frame or receive data. */
export const PAGE_HEADERS: Record<string, string> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  // Not no-referrer: browsers would then send `Origin: null` for our own forms as well.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** For a registry's icon: opened directly, it is an image without script in a separate origin. */
export const ICON_HEADERS: Record<string, string> = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
  'Content-Disposition': 'attachment',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};
