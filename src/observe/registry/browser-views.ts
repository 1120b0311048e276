import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import type { HeaderProbe, HttpViews, Missing, Probe, RepeatedProbe, ResourceKind } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { isOther } from '../../core/facts/header-probes.ts';
import { isAnswered, lastHop, notRequested, originOf } from '../../core/http/probe.ts';
import type { Views } from './cache/observation-cache.ts';
import type { ObserveContext } from './context.ts';
import type { Reference } from './copy.ts';
import {
  type BrowserGet,
  differingOrigin,
  getAsBrowser,
  groupsOf,
  isDifferent,
  probeHeaders,
} from './header-probes.ts';
import { knownAsUnanswered, repeat } from './repeated-probes.ts';
import { IMAGE_ACCEPT } from './request-shape.ts';
import { probeAgain, probeOnce, probeSide } from './retry-probes.ts';
import { hasSameValidators } from './sampling.ts';
import { probeFirstOfKind, probeMethods, repeatRefused, type SideRequests } from './side-requests.ts';

/** How a resource responds to a page of the service: GET, HEAD and preflights as a browser sends them. */

/** The response of a resource to a server-side client's GET. */
export interface ServerView {
  kind: ResourceKind;
  /** With at least one hop. */
  server: Probe;
  accept: string;
  /** The reference for comparing copies; null if nothing can be compared. */
  reference: Reference | null;
  /** Maximum number of bytes to read. */
  limit: number;
}

/** The browser's request for an artifact asks for one byte: it is not fetched twice. */
export async function browserViews(view: ServerView, context: ObserveContext): Promise<Views> {
  const { kind, server } = view;
  const { sample, alternatingOrigins } = context.state;
  const [page = PROBE_ORIGIN, ...otherPages] = context.origins;
  const get = browserGet(view, page);
  const key = keyOf(view);
  const chain = server.hops.map(({ url }) => url);
  const ranges: RepeatedProbe[] = [];
  const otherMethods: SideRequests = [];
  const firstOfKind: SideRequests = [];
  // Failures in one of them are probed.
  const getFrom = (origin: string): Promise<Probe> =>
    kind === 'artifact'
      ? getPart({ ...get, page: origin }, context, ranges)
      : getAsBrowser({ ...get, page: origin }, groupsOf(get), context, probeOnce);
  const firstGet = getFrom(page);
  const [methods, first, ...browser] = await Promise.all([
    sample.methods(kind, server, () => probeMethods(chain, get, context, otherMethods)),
    probeFirstOfKind(key, get, firstGet, context, firstOfKind),
    firstGet,
    ...otherPages.map(getFrom),
  ]);
  const [headerProbes, repeatedProbes] = await Promise.all([
    probeDifferences({ browser, ...first }, get, key, context).then((probes) =>
      probes.length > 0 ? probes : probeHead(view, methods.head, context),
    ),
    repeatRefused([...otherMethods, ...firstOfKind], get, context),
  ]);
  const isUnexplained = headerProbes.length === 0 && isDifferent(browser);
  const alternating = isUnexplained ? alternatingOrigins.get(originOf(lastHop(server)?.url ?? '')) : undefined;
  if (alternating) repeatedProbes.push({ ...alternating, of: 'browser' });
  repeatedProbes.push(...ranges.slice(0, 1));
  return {
    browser: browser.filter((probe) => !notRequested(probe)),
    ...methods,
    ...first,
    ...(headerProbes.length > 0 ? { headerProbes } : {}),
    ...(repeatedProbes.length > 0 ? { repeatedProbes } : {}),
  };
}

/**
 * The browser's request for one byte of an artifact, or for all of it if the host never answers requests with a Range.
 * @param ranges receives the requests that show this
 */
async function getPart(get: BrowserGet, context: ObserveContext, ranges: RepeatedProbe[]): Promise<Probe> {
  const send = (headers: BrowserGet['headers'], how: typeof probeOnce): Promise<Probe> =>
    getAsBrowser({ ...get, headers }, groupsOf(get), context, how);
  if ((await knownAsUnanswered('range', get.url, context)) !== null) return send([], probeOnce);
  const part = await send(get.headers, probeSide);
  if (part.failure === null) return part;
  const repeated = await repeat('range', part, get, () => send(get.headers, probeAgain), context);
  if (repeated === null) return part;
  const whole = await send([], probeSide);
  if (whole.failure !== null) return part;
  ranges.push(repeated);
  return whole;
}

function browserGet({ kind, server, accept, reference, limit }: ServerView, page: string): BrowserGet {
  const [first] = server.hops;
  if (!first) throw new Error('Only a requested resource has views.');
  return {
    url: first.url,
    kind,
    page,
    like: 'fetch',
    accept: kind === 'icon' ? IMAGE_ACCEPT : accept,
    headers: kind === 'artifact' ? [['range', 'bytes=0-0']] : [],
    reference,
    limit,
  };
}

/** The kind of resource and its hosts. */
function keyOf({ kind, server }: ServerView): string {
  return `${kind} ${server.hops.map(({ url }) => originOf(url)).join(' ')}`;
}

async function probeDifferences(
  { browser, image, gzip }: Pick<HttpViews, 'browser' | 'image' | 'gzip'>,
  get: BrowserGet,
  key: string,
  context: ObserveContext,
): Promise<HeaderProbe[]> {
  if (isDifferent(browser)) return probeHeaders({ ...get, page: differingOrigin(browser) }, key, context);
  if (gzip && isDifferent([gzip])) return probeHeaders({ ...get, encoding: 'gzip' }, key, context);
  return image && isDifferent([image]) ? probeHeaders({ ...get, like: 'image' }, `image ${key}`, context) : [];
}

/** Probes a resource whose HEAD reports another length or validator, if other GET requests may return those too. */
async function probeHead(view: ServerView, head: Probe | Missing, context: ObserveContext): Promise<HeaderProbe[]> {
  const { server } = view;
  if (isMissing(head) || !isAnswered(head) || hasSameValidators(server, head)) return [];
  const probes = await probeAllHeaders(view, context);
  const isDependent = probes.some(
    ({ sent, probe }) => isOther(probe) || (sent.length === 0 && !hasSameValidators(server, probe)),
  );
  return isDependent ? probes : [];
}

/** Probes a document that returned other content only to a conditional request. */
export async function probeContents(view: ServerView, context: ObserveContext): Promise<HeaderProbe[]> {
  const probes = await probeAllHeaders(view, context);
  return probes.some(({ probe }) => isOther(probe)) ? probes : [];
}

function probeAllHeaders(view: ServerView, context: ObserveContext): Promise<HeaderProbe[]> {
  return probeHeaders(browserGet(view, context.origins[0] ?? PROBE_ORIGIN), keyOf(view), context);
}
