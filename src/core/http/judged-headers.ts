import { type HeaderProbe, type HttpViews, isMissing, type Missing, type Probe } from '../facts/facts.ts';
import { answersToFetch } from './answers.ts';
import { freshness } from './cache.ts';
import { corsFault } from './cors.ts';
import { dependenceBy, dependenceOf, type Dependence, isOther, SAME } from './header-probes.ts';
import { headerValue, mediaType, varyNames } from './headers.ts';
import { finalHop, isAnswered } from './probe.ts';
import { isRefusalStatus } from './repeated-probes.ts';

/** The response headers that decide what clients do with a file, and their values in responses to different requests. */

/** The values, as far as rules distinguish them. */
const VALUES = {
  'Access-Control-Allow-Origin': allowedOrigin,
  'Content-Type': (probe) => imageOrType(mediaType(finalHop(probe).headers)?.type || null),
  'X-Content-Type-Options': (probe) => (hasNosniff(probe) ? 'nosniff' : null),
  'Cross-Origin-Resource-Policy': (probe) => headerValue(finalHop(probe).headers, 'cross-origin-resource-policy'),
  'Cache-Control': lifetimeOf,
} as const satisfies Record<string, (probe: Probe) => string | null>;

const LIKES = ['fetch', 'image'] as const;

export type JudgedHeader = keyof typeof VALUES;

const HEADERS: readonly JudgedHeader[] = [
  'Access-Control-Allow-Origin',
  'Content-Type',
  'X-Content-Type-Options',
  'Cross-Origin-Resource-Policy',
  'Cache-Control',
];

/** True if browsers must not detect the type from the bytes. */
export function hasNosniff(probe: Probe): boolean {
  return /^\s*nosniff\s*(,|$)/i.test(headerValue(finalHop(probe).headers, 'x-content-type-options') ?? '');
}

function allowedOrigin(probe: Probe): string | null {
  return headerValue(finalHop(probe).headers, 'access-control-allow-origin');
}

/** Hosts convert bitmaps for browsers, which show each kind. */
function imageOrType(type: string | null): string | null {
  return type?.startsWith('image/') && type !== 'image/svg+xml' ? 'image/*' : type;
}

/** Seconds: the check interval of the service (spec section 8). */
const HOUR = 3600;

/** A lifetime in classes: caches send its rest, which differs in each response. */
function lifetimeOf(probe: Probe): string | null {
  const { lifetime, immutable } = freshness(finalHop(probe), 0);
  if (immutable) return 'immutable';
  if (lifetime === null) return null;
  return lifetime > HOUR ? 'more than an hour' : 'an hour at most';
}

/**
 * The headers of a response that differ from those of another one.
 * @returns none for a response that failed
 */
export function differingHeaders(one: Probe, other: Probe): JudgedHeader[] {
  if (!isAnswered(one) || !isAnswered(other)) return [];
  return HEADERS.filter((name) => VALUES[name](one) !== VALUES[name](other));
}

/**
 * True if responses of one kind differ in a header, for no reason that they name: a value of
 * Access-Control-Allow-Origin that lets the page in, with Vary: Origin, is that of this origin.
 */
export function doHeadersDiffer(web: HttpViews, like: HeaderProbe['like']): boolean {
  const { server, image, browser, head } = web;
  if (like === 'image') return image !== undefined && differingHeaders(server, image).length > 0;
  const [first] = browser;
  const isOtherForHead =
    first !== undefined && !isMissing(head) && differingHeaders(first, head).includes('Access-Control-Allow-Origin');
  return isOtherForHead || answersToFetch(web).some((probe) => differsUnnamed(server, probe));
}

function differsUnnamed(server: Probe, probe: Probe): boolean {
  return differingHeaders(server, probe).some((name) => name !== 'Access-Control-Allow-Origin' || !isForOrigin(probe));
}

function isForOrigin(probe: Probe): boolean {
  return corsFault(probe) === null && varyNames(finalHop(probe).headers).includes('origin');
}

/** The part of the requests on which a header depends; null if probes do not show that it depends on any. */
function dependenceOfHeader(web: HttpViews, name: JudgedHeader, like: HeaderProbe['like']): Dependence | null {
  if (!isAnswered(web.server)) return null;
  const first = VALUES[name](web.server);
  return dependenceBy(web.headerProbes ?? [], like, (probe) => {
    // The headers of a page are those of the page.
    if (!isAnswered(probe) || isOther(probe)) return null;
    const value = VALUES[name](probe);
    return value === first ? SAME : `value ${String(value)}`;
  });
}

/** True if the host, which sent the file, then refused every request for it. */
function isRefusedNow({ server, repeatedProbes = [] }: HttpViews): boolean {
  const repeated = repeatedProbes.filter(({ url }) => server.hops.some((hop) => hop.url === url));
  return (
    isAnswered(server) &&
    repeated.some(({ plain, same }) => plain.length > 1 && [...plain, ...same].every(isRefusalStatus))
  );
}

/** True if probes show that a header depends on something. */
export function dependOnAnything(web: HttpViews): boolean {
  return HEADERS.some((name) => LIKES.some((like) => dependenceOfHeader(web, name, like)));
}

/** True if the values of a header alternate, whatever is sent. */
export function isAlternating(web: HttpViews, name: JudgedHeader): boolean {
  return isDependence(web, name, 'intermittent');
}

/**
 * True if the headers of a stored response, which a 304 need not contain, may be those of an earlier state: a browser,
 * which got the file itself, got others.
 */
export function isOutdated(web: HttpViews | Missing): boolean {
  if (isMissing(web)) return false;
  const [browser] = web.browser;
  return (
    browser !== undefined &&
    differingHeaders(web.server, browser).some((name) => name !== 'Access-Control-Allow-Origin')
  );
}

/** True if the host now sends another response to every request than to the first one: other content or headers. */
export function hasChanged(web: HttpViews | Missing): boolean {
  if (isMissing(web)) return false;
  return (
    isRefusedNow(web) ||
    LIKES.some((like) => dependenceOf(web, like)?.on === 'changed') ||
    HEADERS.some((name) => isDependence(web, name, 'changed'))
  );
}

function isDependence(web: HttpViews, name: JudgedHeader, on: Dependence['on']): boolean {
  return LIKES.some((like) => dependenceOfHeader(web, name, like)?.on === on);
}

/** The headers whose values alternate, with these values; null for a response without the header. */
export function alternatingHeaders(web: HttpViews): { name: JudgedHeader; values: (string | null)[] }[] {
  return HEADERS.filter((name) => isAlternating(web, name)).map((name) => ({
    name,
    values: [
      ...new Set(
        [web.server, ...(web.headerProbes ?? []).map(({ probe }) => probe)]
          .filter(isAnswered)
          .map((probe) => headerValue(finalHop(probe).headers, name.toLowerCase())),
      ),
    ],
  }));
}
