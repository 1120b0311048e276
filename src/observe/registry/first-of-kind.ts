import { hopOrigins } from '../../core/http/cors.ts';
import type { Conditional, HttpViews, Probe } from '../../core/facts/facts.ts';
import { codings, header, httpDate } from '../../core/http/headers.ts';
import { isAnswered, lastHop } from '../../core/http/probe.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import type { ObserveContext } from './context.ts';
import { isEntityTag } from './entity-tag.ts';
import { type BrowserGet, getAsBrowser } from './header-probes.ts';
import { type Preflight, probePreflight } from './preflight.ts';
import { ALL_GROUPS } from './request-shape.ts';
import { probeSide } from './retry-probes.ts';

/** Probes of host settings, which are made only for the first resource of each kind and host. */

type FirstOfKindViews = Pick<HttpViews, 'headPreflight' | 'image' | 'gzip' | 'revalidation'>;

/**
 * @param key the kind of resource and its host
 * @param get the browser's request for it
 * @param answered the response to that; probes that do not depend on it are sent in parallel, to save a round trip
 */
export async function probeFirstOfKind(
  key: string,
  get: BrowserGet,
  answered: Promise<Probe>,
  context: ObserveContext,
): Promise<FirstOfKindViews> {
  const { probedKinds } = context.state;
  if (probedKinds.has(key)) return {};
  probedKinds.add(key);
  const [headPreflight, image, gzip, revalidation] = await Promise.all([
    probeHeadPreflight(get, context),
    get.kind === 'icon' ? getAsBrowser({ ...get, like: 'image' }, ALL_GROUPS, context) : null,
    answered.then((browser) => getWithGzipOnly(get, browser, context)),
    answered.then((browser) => revalidate(get, browser, context)),
  ]);
  return {
    ...(isRequested(headPreflight) ? { headPreflight } : {}),
    ...(isRequested(image) ? { image } : {}),
    ...(isRequested(gzip) ? { gzip } : {}),
    ...(revalidation !== null && isRequested(revalidation.probe) ? { revalidation } : {}),
  };
}

function isRequested(probe: Probe | null): probe is Probe {
  return probe !== null && notRequested(probe) === null;
}

async function probeHeadPreflight(get: BrowserGet, context: ObserveContext): Promise<Probe | null> {
  const request = headPreflightOf(get);
  return request && probePreflight(request, context);
}

/** The preflight that a browser sends before a HEAD; null at the page’s own origin. */
export function headPreflightOf({ url, page }: Pick<BrowserGet, 'url' | 'page'>): Preflight | null {
  const [sent] = hopOrigins(page, [url]);
  return sent?.checked ? { url, page, origin: sent.origin, method: 'HEAD', chain: [url] } : null;
}

/** Many clients accept only gzip, and hosts keep a file per coding. */
async function getWithGzipOnly(get: BrowserGet, browser: Probe, context: ObserveContext): Promise<Probe | null> {
  const applied = codings(lastHop(browser)?.headers ?? []);
  const isDocument = get.kind === 'manifest' || get.kind === 'metadata';
  if (!isDocument || applied.length === 0 || applied.includes('gzip')) return null;
  return getAsBrowser({ ...get, encoding: 'gzip' }, ['encoding'], context);
}

async function revalidate(
  get: BrowserGet,
  browser: Probe,
  context: ObserveContext,
): Promise<NonNullable<HttpViews['revalidation']> | null> {
  if (get.kind === 'artifact' || !isAnswered(browser)) return null;
  const condition = conditionFrom(lastHop(browser)?.headers ?? []);
  return condition && { condition, probe: await sendRevalidation(get, condition, context, probeSide) };
}

/** The validator that a browser stores; null if there is none. */
function conditionFrom(headers: readonly [string, string][]): Conditional['condition'] | null {
  const tag = header(headers, 'etag');
  if (tag !== null && isEntityTag(tag)) return ['if-none-match', tag];
  const date = header(headers, 'last-modified');
  return date !== null && httpDate(date) !== null ? ['if-modified-since', date] : null;
}

/** @param send sends the request */
export function sendRevalidation(
  get: BrowserGet,
  condition: Conditional['condition'],
  context: ObserveContext,
  send: typeof probeSide,
): Promise<Probe> {
  return getAsBrowser({ ...get, headers: [condition], reference: null }, ALL_GROUPS, context, send);
}
