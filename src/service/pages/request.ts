import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import type { Service } from '../context.ts';
import type { OrganizationView } from '../views.ts';
import { type Allowances, openLimiter } from '../http/rate-limits.ts';
import { isAbsence } from '../storage/transient-error.ts';
import { readBytes } from '../http/body.ts';
import { Refusal } from '../http/problems.ts';
import type { Env } from '../http/routes.ts';
import { basePath, isOwn, signedIn } from './session.ts';
import { PAGE_HEADERS } from './headers.ts';
import { type Frame, layout, type Screen } from './layout.ts';
import { failurePage } from './account-pages.ts';

/** Shared by the handlers of all pages: authentication, rate limits and responses. */

export type PageContext = Context<Env>;
type Status = 200 | 400 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503;

export interface PageRequest {
  c: PageContext;
  /** Null if not signed in. */
  organization: OrganizationView | null;
  now: Date;
  show(screen: Screen, status?: Status): Response | Promise<Response>;
  /** Redirects to another page, by GET. */
  goTo(path: string): Response;
  /** A field of the submitted form; '' if missing. */
  text(name: string): string;
}

export interface MemberRequest extends PageRequest {
  organization: OrganizationView;
}

const BODY_LIMIT = 64 * 1024;

/** Handles page requests and their errors. */
export function openPageRequests(service: Service, allowances: Allowances) {
  const { settings, log } = service;
  const limiters = {
    reads: openLimiter(allowances.reads),
    changes: openLimiter(allowances.changes),
    failures: openLimiter(allowances.failures),
    signUps: openLimiter(allowances.signUps),
  };

  async function visitOf(c: PageContext): Promise<PageRequest> {
    const now = new Date();
    const organization = await signedIn(c, service);
    c.set('organization', organization ?? undefined);
    const form = c.req.method === 'POST' ? await readForm(c) : null;
    return {
      c,
      organization,
      now,
      show: (screen, status = 200) => c.html(layout(frameOf(c, settings, organization), screen), status, PAGE_HEADERS),
      goTo: (path) => c.body(null, 303, { ...PAGE_HEADERS, Location: basePath(settings) + path.slice(1) }),
      text: (name) => form?.get(name) ?? '',
    };
  }

  async function answered(
    c: PageContext,
    path: string,
    answer: (visit: PageRequest) => Response | Promise<Response>,
  ): Promise<Response> {
    c.set('route', path);
    try {
      if (c.req.method === 'POST' && !isOwn(c, settings)) return refused(c, settings, FOREIGN);
      return await answer(await visitOf(c));
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (error instanceof Ended) return refused(c, settings, error.refusal);
      if (isAbsence(error as Error)) {
        log('warn', 'database-unavailable', { request: c.get('requestId'), error: (error as Error).message });
        c.header('Retry-After', '5');
        return refused(c, settings, {
          status: 503,
          title: 'Not available at the moment',
          text: 'The service does not reach its database. Nothing is lost; try again in a moment.',
        });
      }
      log('error', 'defect', { request: c.get('requestId'), route: path, error });
      return refused(c, settings, {
        status: 500,
        title: 'Something went wrong',
        text: `It was not you: the service’s log has more. Try again in a moment. (Request ${c.get('requestId') ?? 'unknown'})`,
      });
    }
  }

  /** @throws Refused if the client exceeds the limit */
  function count(c: PageContext, name: keyof Allowances, who: string): void {
    const { allowed, wait } = limiters[name].take(who);
    if (allowed) return;
    c.header('Retry-After', String(wait));
    throw new Ended({ status: 429, title: 'Too many at once', text: `Try again in ${wait} s.` });
  }

  return {
    /** Counts actions of an address that is not signed in. @throws if it exceeds the limit */
    countOf: (c: PageContext, name: 'failures' | 'signUps') => count(c, name, addressOf(c)),
    /** For all clients. */
    open(path: string, answer: (visit: PageRequest) => Response | Promise<Response>) {
      return (c: PageContext) => answered(c, path, answer);
    },
    /** For signed-in organizations; others are redirected to sign in. */
    member(path: string, answer: (visit: MemberRequest) => Response | Promise<Response>) {
      return (c: PageContext) =>
        answered(c, path, (visit) => {
          const { organization } = visit;
          if (organization !== null) {
            count(c, c.req.method === 'POST' ? 'changes' : 'reads', organization.id);
            return answer({ ...visit, organization });
          }
          const { pathname, search } = new URL(c.req.url);
          const next =
            c.req.method === 'GET' && pathname !== '/' ? `?next=${encodeURIComponent(pathname + search)}` : '';
          return visit.goTo(`/sign-in${next}`);
        });
    },
  };
}

const FOREIGN: Refused = {
  status: 403,
  title: 'Not from this page',
  text: 'The form was sent from another site, or the browser does not say from where. Open this page and try again.',
};

interface Refused {
  status: Status;
  title: string;
  text: string;
  signedIn?: boolean;
}

/** Ends a request with an error page. */
class Ended extends Error {
  readonly refusal: Refused;

  constructor(refusal: Refused) {
    super(refusal.title);
    this.refusal = refusal;
  }
}

/** The value if it exists. The response does not reveal whether another organization has it. */
export function orNotFound<Thing>(thing: Thing | null, what: string): Thing {
  if (thing !== null) return thing;
  const text = `There is no such ${what}, or it belongs to another organization.`;
  throw new Ended({ status: 404, title: 'Not found', text, signedIn: true });
}

function frameOf(c: PageContext, settings: Service['settings'], organization: OrganizationView | null): Frame {
  const { pathname, search } = new URL(c.req.url);
  return { organization, now: new Date(), base: basePath(settings), here: `./${pathname.slice(1)}${search}` };
}

/** The response for an unknown URL. */
export function noSuchPage(c: PageContext, settings: Service['settings']): Response | Promise<Response> {
  return refused(c, settings, { status: 404, title: 'Not found', text: 'There is no such page.' });
}

function refused(
  c: PageContext,
  settings: Service['settings'],
  { status, title, text, signedIn: isSignedIn = false }: Refused,
): Response | Promise<Response> {
  const screen = failurePage({ title, text, signedIn: isSignedIn });
  return c.html(layout(frameOf(c, settings, null), screen), status, PAGE_HEADERS);
}

async function readForm(c: PageContext): Promise<URLSearchParams> {
  const bytes = await readBytes(c, BODY_LIMIT);
  if (bytes === null)
    throw new Ended({ status: 413, title: 'Too much', text: 'The form is larger than any that this page sends.' });
  return new URLSearchParams(bytes.toString('utf8'));
}

function addressOf(c: PageContext): string {
  try {
    return getConnInfo(c).remote.address ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
