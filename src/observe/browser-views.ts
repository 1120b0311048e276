import { PROBE_ORIGIN } from '../core/cors.ts';
import type { Role, Visit, Web } from '../core/facts.ts';
import { originOf } from './http.ts';
import type { Reference } from './copy.ts';
import { unasked } from './http-patience.ts';
import { lookAtPreflights } from './preflight.ts';
import { IMAGE_ACCEPT, UNCOMPRESSED } from './request-shape.ts';
import { type FirstsLook, lookAtFirst } from './web-firsts.ts';
import { type BrowserGet, getAsBrowser, groupsOf, isToProbe, pageOf, probe } from './web-probes.ts';
import type { Sample } from './web-sample.ts';

/** How a resource answers a page of the service: GET, HEAD and preflights as a browser sends them. */

export interface ViewsLook extends FirstsLook {
  /** The origins of the service's pages; the probe origin where the user gave none. */
  origins: readonly string[];
  sample: Sample;
}

/** What was seen of the resource by a server-side client's GET. */
export interface Seen {
  role: Role;
  service: Visit;
  accept: string;
  /** What copies are compared with; null where nothing can be compared. */
  reference: Reference | null;
  /** Bytes to read at most. */
  limit: number;
}

/** Of an artifact the browser takes one byte: it is not fetched twice. */
export async function sideViews(
  { role, service, accept, reference, limit }: Seen,
  look: ViewsLook,
): Promise<Omit<Web, 'service'>> {
  const pages = look.origins.length > 0 ? look.origins : [PROBE_ORIGIN];
  const urls = service.hops.map((hop) => hop.url);
  const get: BrowserGet = {
    url: urls[0]!,
    role,
    page: pages[0]!,
    like: 'fetch',
    accept: role === 'icon' ? IMAGE_ACCEPT : accept,
    headers: role === 'artifact' ? [['range', 'bytes=0-0']] : [],
    reference,
    limit,
  };
  const key = `${role} ${urls.map(originOf).join(' ')}`;
  const asked = pages.map((page) => getAsBrowser({ ...get, page }, groupsOf(get), look));
  const [methods, first, ...browser] = await Promise.all([
    look.sample.methods(role, service, () => otherMethods(urls, get, look)),
    lookAtFirst(key, get, asked[0]!, look),
    ...asked,
  ]);
  const probes = await probesOf({ browser, ...first }, get, key, look);
  return {
    browser: browser.filter((visit) => !unasked(visit)),
    ...methods,
    ...first,
    ...(probes.length > 0 ? { probes } : {}),
  };
}

async function otherMethods(
  urls: readonly string[],
  { url, page, accept }: BrowserGet,
  look: ViewsLook,
): Promise<Pick<Web, 'head' | 'preflight' | 'preflights'>> {
  const shape = { page, mode: 'cors', destination: 'empty', groups: UNCOMPRESSED } as const;
  const [preflights, head] = await Promise.all([
    lookAtPreflights(urls, page, look),
    look.http.visit({ method: 'HEAD', url, origin: page, accept, shape, total: look.total.small }),
  ]);
  return { ...preflights, head: unasked(head) ?? head };
}

async function probesOf(
  { browser, image, gzip }: Pick<Web, 'browser' | 'image' | 'gzip'>,
  get: BrowserGet,
  key: string,
  look: ViewsLook,
): Promise<NonNullable<Web['probes']>> {
  if (isToProbe(browser)) return probe({ ...get, page: pageOf(browser) }, key, look);
  if (gzip && isToProbe([gzip])) return probe({ ...get, encoding: 'gzip' }, key, look);
  return image && isToProbe([image]) ? probe({ ...get, like: 'image' }, `image ${key}`, look) : [];
}
