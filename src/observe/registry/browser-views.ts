import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import type {
  HeaderProbe,
  RepeatedProbe,
  ResourceKind,
  SideProbe,
  Missing,
  Probe,
  HttpViews,
} from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { isOther } from '../../core/facts/header-probes.ts';
import { isAnswered, originOf } from '../../core/http/probe.ts';
import { probeOnce, probeTwice } from './retry-probes.ts';
import type { ProbeRequest } from '../http/client.ts';
import type { Reference } from './copy.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { probePreflight, probePreflights, preflightsOf } from './preflight.ts';
import { IMAGE_ACCEPT, UNCOMPRESSED } from './request-shape.ts';
import { type FirstsContext, headPreflightOf, probeFirstOfKind, revalidation } from './first-of-kind.ts';
import { type BrowserGet, getAsBrowser, groupsOf, isToProbe, pageOf, probe } from './header-probes.ts';
import { repeat, type RepeatsContext } from './repeated-probes.ts';
import { namesTheSame, type Sample } from './sampling.ts';

/** How a resource responds to a page of the service: GET, HEAD and preflights as a browser sends them. */

export interface ViewsContext extends FirstsContext, RepeatsContext {
  /** The origins of the service's pages; the probe origin if the user gave none. */
  origins: readonly string[];
  sample: Sample;
}

/** The result of a server-side client's GET of the resource. */
export interface ServerAnswer {
  role: ResourceKind;
  service: Probe;
  accept: string;
  /** The reference for comparing copies; null if nothing can be compared. */
  reference: Reference | null;
  /** Maximum number of bytes to read. */
  limit: number;
}

/** The browser's request for an artifact asks for one byte: it is not fetched twice. */
export async function browserViews(seen: ServerAnswer, context: ViewsContext): Promise<Omit<HttpViews, 'server'>> {
  const { role, service } = seen;
  const pages = context.origins.length > 0 ? context.origins : [PROBE_ORIGIN];
  const urls = service.hops.map((hop) => hop.url);
  const get = browserGet(seen, pages[0]!);
  const key = keyOf(seen);
  // Failures in one of them are probed.
  const asked = pages.map((page) => getAsBrowser({ ...get, page }, groupsOf(get), context, probeOnce));
  const [methods, first, ...browser] = await Promise.all([
    context.sample.methods(role, service, () => otherMethods(urls, get, context)),
    probeFirstOfKind(key, get, asked[0]!, context),
    ...asked,
  ]);
  const [probes, repeated] = await Promise.all([
    probesOf({ browser, ...first }, get, key, context).then((made) =>
      made.length > 0 ? made : probesOfHead(seen, methods.head, context),
    ),
    repeatsOf({ ...methods, ...first }, urls, get, context),
  ]);
  const byTurns = probes.length === 0 && isToProbe(browser) ? context.byTurns.get(originOf(urls.at(-1)!)) : undefined;
  if (byTurns) repeated.push({ ...byTurns, of: 'browser' });
  return {
    browser: browser.filter((visit) => !notRequested(visit)),
    ...methods,
    ...first,
    ...(probes.length > 0 ? { headerProbes: probes } : {}),
    ...(repeated.length > 0 ? { repeatedProbes: repeated } : {}),
  };
}

function browserGet({ role, service, accept, reference, limit }: ServerAnswer, page: string): BrowserGet {
  return {
    url: service.hops[0]!.url,
    role,
    page,
    like: 'fetch',
    accept: role === 'icon' ? IMAGE_ACCEPT : accept,
    headers: role === 'artifact' ? [['range', 'bytes=0-0']] : [],
    reference,
    limit,
  };
}

function keyOf({ role, service }: ServerAnswer): string {
  return `${role} ${service.hops.map(({ url }) => originOf(url)).join(' ')}`;
}

async function otherMethods(
  urls: readonly string[],
  get: BrowserGet,
  context: ViewsContext,
): Promise<Pick<HttpViews, 'head' | 'preflight' | 'preflights'>> {
  const [preflights, head] = await Promise.all([
    probePreflights(urls, get.page, context),
    probeTwice(context.http, headOf(get, context)),
  ]);
  return { ...preflights, head: notRequested(head) ?? head };
}

function headOf({ url, page, accept }: BrowserGet, { total }: ViewsContext): ProbeRequest {
  const shape = { page, mode: 'cors', destination: 'empty', groups: UNCOMPRESSED } as const;
  return { method: 'HEAD', url, origin: page, accept, shape, total: total.small };
}

/** Repeats requests that got an error status: one sample does not show that the status depends on the method. */
async function repeatsOf(
  { head, preflight, preflights = [], headPreflight, revalidation: stored }: Omit<HttpViews, 'server' | 'browser'>,
  urls: readonly string[],
  get: BrowserGet,
  context: ViewsContext,
): Promise<RepeatedProbe[]> {
  const again = (of: SideProbe, visit: Probe | Missing, same: () => Promise<Probe>): Promise<RepeatedProbe | null> =>
    isMissing(visit) ? Promise.resolve(null) : repeat(of, visit, get, same, context);
  const asked = preflightsOf(urls, get.page);
  const before = headPreflightOf(get);
  const all = await Promise.all([
    again('HEAD', head, () => context.http.probe(headOf(get, context))),
    ...[preflight, ...preflights].map((visit, i) =>
      again('preflight', visit, () => probePreflight(asked[i]!, context, probeOnce)),
    ),
    headPreflight && before
      ? again('HEAD preflight', headPreflight, () => probePreflight(before, context, probeOnce))
      : Promise.resolve(null),
    stored
      ? again('condition', stored.visit, () => revalidation(get, stored.condition, context, probeOnce))
      : Promise.resolve(null),
  ]);
  return all.filter((one) => one !== null);
}

async function probesOf(
  { browser, image, gzip }: Pick<HttpViews, 'browser' | 'image' | 'gzip'>,
  get: BrowserGet,
  key: string,
  context: ViewsContext,
): Promise<NonNullable<HttpViews['headerProbes']>> {
  if (isToProbe(browser)) return probe({ ...get, page: pageOf(browser) }, key, context);
  if (gzip && isToProbe([gzip])) return probe({ ...get, encoding: 'gzip' }, key, context);
  return image && isToProbe([image]) ? probe({ ...get, like: 'image' }, `image ${key}`, context) : [];
}

/** Probes a resource whose HEAD reports another length or validator, if other GET requests may return those too. */
async function probesOfHead(seen: ServerAnswer, head: Probe | Missing, context: ViewsContext): Promise<HeaderProbe[]> {
  const { service } = seen;
  if (isMissing(head) || !isAnswered(head) || namesTheSame(service, head)) return [];
  const probes = await probeAll(seen, context);
  return probes.some(({ sent, visit }) => isOther(visit) || (sent.length === 0 && !namesTheSame(service, visit)))
    ? probes
    : [];
}

/** Probes a document that returned other content only to a conditional request. */
export async function probeContents(seen: ServerAnswer, context: ViewsContext): Promise<HeaderProbe[]> {
  const probes = await probeAll(seen, context);
  return probes.some(({ visit }) => isOther(visit)) ? probes : [];
}

function probeAll(seen: ServerAnswer, context: ViewsContext): Promise<HeaderProbe[]> {
  return probe(browserGet(seen, context.origins[0] ?? PROBE_ORIGIN), keyOf(seen), context);
}
