import { hopOrigins } from '../../core/http/cors.ts';
import type { Conditional, ResourceKind, Probe, HttpViews } from '../../core/facts/facts.ts';
import { codings, header, httpDate } from '../../core/http/headers.ts';
import { isAnswered, lastHop } from '../../core/http/probe.ts';
import { ENTITY_TAG } from './conditional.ts';
import { probeTwice } from './retry-probes.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { probePreflight, type Preflight, type SecretNames } from './preflight.ts';
import { ALL_GROUPS } from './request-shape.ts';
import { type BrowserGet, getAsBrowser, type Prober } from './header-probes.ts';

/** Probes of host settings, which are made only for the first resource of each kind and host. */

export interface FirstsContext extends Prober {
  secretNames: SecretNames | null;
  /** The kinds and hosts whose first resource was claimed. */
  firsts: Set<string>;
}
type Firsts = Pick<HttpViews, 'headPreflight' | 'image' | 'gzip' | 'revalidation'>;

/**
 * @param key the kind of resource and its host
 * @param get the browser's request for it
 * @param answered the response to that; probes that do not depend on it are sent in parallel, to save a round trip
 */
export async function probeFirstOfKind(
  key: string,
  get: BrowserGet,
  answered: Promise<Probe>,
  context: FirstsContext,
): Promise<Firsts> {
  if (context.firsts.has(key)) return {};
  context.firsts.add(key);
  const [headPreflight, image, gzip, revalidated] = await Promise.all([
    preflightOfHead(get, context),
    get.role === 'icon' ? getAsBrowser({ ...get, like: 'image' }, ALL_GROUPS, context) : null,
    answered.then((browser) => gzipAlone(get, browser, context)),
    answered.then((browser) => revalidate(get, browser, context)),
  ]);
  return {
    ...(isAsked(headPreflight) ? { headPreflight } : {}),
    ...(isAsked(image) ? { image } : {}),
    ...(isAsked(gzip) ? { gzip } : {}),
    ...(revalidated !== null && isAsked(revalidated.visit) ? { revalidation: revalidated } : {}),
  };
}

function isAsked(visit: Probe | null): visit is Probe {
  return visit !== null && notRequested(visit) === null;
}

async function preflightOfHead(get: BrowserGet, context: FirstsContext): Promise<Probe | null> {
  const asked = headPreflightOf(get);
  return asked && probePreflight(asked, context);
}

/** The preflight that a browser sends before a HEAD; null at the page’s own origin. */
export function headPreflightOf({ url, page }: Pick<BrowserGet, 'url' | 'page'>): Preflight | null {
  const [sent] = hopOrigins(page, [url]);
  return sent?.checked ? { url, page, origin: sent.origin, method: 'HEAD', along: [url] } : null;
}

/** Many clients accept only gzip, and hosts keep a file per coding. */
async function gzipAlone(get: BrowserGet, browser: Probe, context: FirstsContext): Promise<Probe | null> {
  const applied = codings(lastHop(browser)?.headers ?? []);
  if (!isDocument(get.role) || applied.length === 0 || applied.includes('gzip')) return null;
  return getAsBrowser({ ...get, encoding: 'gzip' }, ['encoding'], context);
}

async function revalidate(
  get: BrowserGet,
  browser: Probe,
  context: FirstsContext,
): Promise<NonNullable<HttpViews['revalidation']> | null> {
  if (get.role === 'artifact' || !isAnswered(browser)) return null;
  const { headers } = lastHop(browser)!;
  const tag = header(headers, 'etag');
  const date = header(headers, 'last-modified');
  let condition: Conditional['condition'];
  if (tag !== null && ENTITY_TAG.test(tag)) condition = ['if-none-match', tag];
  else if (date !== null && httpDate(date) !== null) condition = ['if-modified-since', date];
  else return null;
  return { condition, visit: await revalidation(get, condition, context, probeTwice) };
}

/** @param visit sends the request */
export function revalidation(
  get: BrowserGet,
  condition: Conditional['condition'],
  context: FirstsContext,
  visit: typeof probeTwice,
): Promise<Probe> {
  return getAsBrowser({ ...get, headers: [condition], reference: null }, ALL_GROUPS, context, visit);
}

function isDocument(role: ResourceKind): boolean {
  return role === 'manifest' || role === 'metadata';
}
