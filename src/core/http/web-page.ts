import { type SafeText, message } from '../text/message.ts';
import { type Hop, isMissing, type Missing, type HttpViews } from '../facts/facts.ts';
import { INTERCEPTIONS, interceptionText } from './interception-text.ts';
import { type InterceptionKind, interceptionOf } from './interception.ts';
import { headerValue } from './headers.ts';
import type { Evidence } from '../values/evidence.ts';
import { shorten } from '../text/text.ts';
import { parseUrl } from '../url/url.ts';
import { hostOf, lastHop } from './probe.ts';

/** A web page in place of a file of the registry: the kind of page determines who can fix it, and how. */

type PageKind = 'sign-in' | 'error-page' | 'app-shell' | 'page';

const SIGN_IN = /\b(sign[ -]?(in|on)|log[ -]?(in|on)|sso|authenticat\w*|anmeld\w*|connexion|iniciar sesi[oó]n)\b/i;
const SIGN_IN_PATH = /\/(log-?in|sign-?in|sso|oauth2?|saml2?|auth|authorize|sessions?\/new)(\/|\.\w+|$)/i;
const ERROR =
  /\b(40[0-9]|41[0-9]|50[0-9])\b|not found|no such|forbidden|denied|unavailable|bad gateway|\berror\b|nicht gefunden|introuvable/i;
const SHELL =
  /<(div|main|body)\b[^>]{0,200}\bid\s*=\s*["']?(root|app|__next|__nuxt|___gatsby|svelte|q-app)\b|<app-root\b|<script\b[^>]{0,300}\btype\s*=\s*["']?module\b|\benable JavaScript\b/i;

/** The source of the response, for a sentence; null if no host was requested. */
interface PageAnswer {
  host: string;
  status: number;
  contentType: string | null;
  /** The last URL, if redirects led to another one. */
  redirectedTo: string | null;
  headers: Hop['headers'];
}

/** @param web the responses of the file's URL */
export function pageAnswer(web: HttpViews | Missing): PageAnswer | null {
  const hop = isMissing(web) ? null : lastHop(web.server);
  if (hop === null || isMissing(web)) return null;
  return {
    host: hostOf(hop.url),
    status: hop.status,
    contentType: headerValue(hop.headers, 'content-type'),
    redirectedTo: web.server.hops.length > 1 ? hop.url : null,
    headers: hop.headers,
  };
}

/** @param html the page, or its beginning */
export function pageKind(html: string, answer: PageAnswer | null): PageKind {
  const text = html.slice(0, 100_000);
  const titles = [titleOf(text), /<h1[^>]{0,200}>([^<]{1,200})/i.exec(text)?.[1]];
  const titleText = titles.filter((title) => title !== null && title !== undefined).join(' ');
  const path = parseUrl(answer?.redirectedTo ?? '')?.pathname ?? '';
  if (
    /<input\b[^>]{0,300}\btype\s*=\s*["']?password\b/i.test(text) ||
    SIGN_IN.test(titleText) ||
    SIGN_IN_PATH.test(path)
  )
    return 'sign-in';
  if (ERROR.test(titleText)) return 'error-page';
  return SHELL.test(text) ? 'app-shell' : 'page';
}

function titleOf(html: string): string | null {
  return /<title[^>]{0,100}>([^<]{1,200})/i.exec(html)?.[1]?.trim() || null;
}

/**
 * The text of a finding about such a page.
 * @param wanted what should be there: `JSON`, `the artifact`
 */
export function pageInstead(
  html: string,
  wanted: string,
  answer: PageAnswer | null,
): { message: SafeText; advice: SafeText; evidence: Evidence } {
  const intercepted = interceptionOf({ headers: answer?.headers ?? [] }, html);
  const kind = intercepted?.kind ?? pageKind(html, answer);
  const title = titleOf(html);
  const named = title === null ? '' : ` (“${shorten(title, 80)}”)`;
  const lead =
    answer === null
      ? `This is an HTML page${named}, not ${wanted}`
      : `${answer.host} responds with ${answer.status}${/^\s*</.test(html) ? ` and an HTML page${named}` : ''} instead of ${wanted}`;
  return {
    message: message`${lead}${intercepted === null ? meaningOf(kind, answer) : `: ${interceptionText(intercepted)}`}.`,
    advice: isInterception(kind) ? INTERCEPTIONS[kind].advice : ADVICE[kind],
    evidence: {
      ...(intercepted === null ? {} : { product: intercepted.product }),
      ...(answer === null ? {} : { status: answer.status, contentType: answer.contentType }),
      ...(title === null ? {} : { title: shorten(title, 80) }),
      page: kind,
      ...(answer?.redirectedTo ? { redirectedTo: answer.redirectedTo } : {}),
    },
  };
}

/**
 * The same for a response that is not an HTML page, such as an empty one with a header: null unless a product responded
 * instead of the host.
 */
export function interceptedInstead(
  text: string,
  wanted: string,
  answer: PageAnswer | null,
): ReturnType<typeof pageInstead> | null {
  return answer === null || interceptionOf(answer, text) === null ? null : pageInstead(text, wanted, answer);
}

function isInterception(kind: PageKind | InterceptionKind): kind is InterceptionKind {
  return kind in INTERCEPTIONS;
}

function meaningOf(kind: PageKind | InterceptionKind, answer: PageAnswer | null): string {
  return answer === null || isInterception(kind) ? '' : MEANING[kind];
}

const MEANING: Record<PageKind, string> = {
  'sign-in': ': it requires sign-in',
  'error-page': ': it is an error page, sent without an error status',
  'app-shell': ': the file is missing, and the page is the start page of a single-page app',
  page: '',
};

const ADVICE: Record<PageKind, SafeText> = {
  'sign-in': message`Allow access to this file without sign-in, or protect it with a signed URL or a header that the service sends (spec section 5).`,
  'error-page': message`Upload the file or correct its URL, and configure the host to respond with 404 for missing files.`,
  'app-shell': message`Deploy the file at this URL, and configure the host to respond with 404 for missing files.`,
  page: message`Check the URL: it leads to a web page, but must lead to the file itself; if the file is missing, upload it, and configure the host to respond with 404 for missing files.`,
};
