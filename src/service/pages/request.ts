import type { Context } from 'hono';
import { readBytes } from '../http/body.ts';
import { pathParameter } from '../http/path-parameter.ts';
import type { Env } from '../http/routes.ts';
import type { Service } from '../context.ts';
import type { OrganizationView } from '../views.ts';
import { PAGE_HEADERS } from './headers.ts';
import { type Frame, layout, type Screen } from './layout.ts';
import { PageError, type PageStatus } from './page-error.ts';
import { basePath, signedIn } from './session.ts';

/** What the handlers of pages know of a request, and how they respond. */

export type PageContext = Context<Env>;

export interface PageRequest {
  c: PageContext;
  /** Null if not signed in. */
  organization: OrganizationView | null;
  now: Date;
  show(screen: Screen, status?: PageStatus): Response | Promise<Response>;
  /** Redirects to another page, by GET. */
  goTo(path: string): Response;
  /** A parameter of the path. */
  parameter(name: string): string;
  /** A parameter of the query; null if missing. */
  query(name: string): string | null;
  /** A field of the submitted form; '' if missing. */
  text(name: string): string;
  /** Counts a request of an address that is not signed in. @throws PageError if it exceeds the limit */
  count(name: 'failures' | 'signUps'): void;
}

export interface MemberRequest extends PageRequest {
  organization: OrganizationView;
}

const BODY_LIMIT = 64 * 1024;

export async function readRequest(c: PageContext, service: Service, count: PageRequest['count']): Promise<PageRequest> {
  const { settings } = service;
  const organization = await signedIn(c, service);
  c.set('organization', organization ?? undefined);
  const form = c.req.method === 'POST' ? await readForm(c) : null;
  return {
    c,
    organization,
    now: new Date(),
    show: (screen, status = 200) => showScreen(c, settings, screen, { status, organization }),
    goTo: (path) => c.body(null, 303, { ...PAGE_HEADERS, Location: basePath(settings) + path.slice(1) }),
    parameter: (name) => pathParameter(c, name),
    query: (name) => c.req.query(name) ?? null,
    text: (name) => form?.get(name) ?? '',
    count,
  };
}

async function readForm(c: PageContext): Promise<URLSearchParams> {
  const bytes = await readBytes(c, BODY_LIMIT);
  if (bytes === null) throw new PageError({ status: 413, title: 'Too much', text: 'The form data is too large.' });
  return new URLSearchParams(bytes.toString('utf8'));
}

/** Responds with a page. */
export function showScreen(
  c: PageContext,
  settings: Service['settings'],
  screen: Screen,
  { status, organization }: { status: PageStatus; organization: OrganizationView | null },
): Response | Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const here = `./${pathname.slice(1)}${search}`;
  const frame: Frame = { organization, now: new Date(), base: basePath(settings), here };
  return c.html(layout(frame, screen), status, PAGE_HEADERS);
}
