import {
  type Conditional,
  type Hop,
  isMissing,
  type Missing,
  type Probe,
  type Resource,
  type ResourceKind,
} from '../../core/facts/facts.ts';
import { hopOrigins, PROBE_HEADER, PROBE_ORIGIN } from '../../core/http/cors.ts';
import { contentCodings, headerValue, httpDate } from '../../core/http/headers.ts';
import { isAnswered, lastHop, notRequested, originOf } from '../../core/http/probe.ts';
import { createDigester } from '../digest/digest.ts';
import { sendBeside } from '../http/attempts.ts';
import { type BodyReader, perAttempt } from '../http/body.ts';
import type { Reference } from '../http/compare-copy.ts';
import { ALL_GROUPS, IMAGE_ACCEPT, isEntityTag, UNCOMPRESSED } from '../http/request-shape.ts';
import { type BrowserGet, getAsBrowser, groupsOf } from './browser-get.ts';
import { isProbe, type Views, viewsBefore } from './cache.ts';
import { isDifferent, probeDifferences, repeatRefused } from './confirm.ts';
import type { ObserveContext } from './context.ts';
import { reasonMissing } from './fetch.ts';
import { type Answer, type Outcome, runProbes, type SideRequest, type ViewProbe } from './probes.ts';

/**
 * Responses of a resource to a page of the service, as browsers request it, and to conditional requests. The lists
 * BROWSER and SERVER have the requests; docs/pipelines/long-runs.md lists them under “Requests for each file”.
 */

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

/** The response of a resource to a server and to a browser. */
export type ResourceViews = Pick<Resource, 'web' | 'viewsReusedFrom'>;

/**
 * The response of a document or an icon, and its views. Those of an unchanged one are reused if the first of its kind
 * and host, which is observed again, responds as before.
 * @param known the earlier facts, if the probe confirmed them
 */
export async function observeViews(
  view: ServerView,
  context: ObserveContext,
  known: Resource | null,
): Promise<ResourceViews> {
  const { kind, server } = view;
  const stopped = notRequested(server);
  if (stopped) return { web: stopped };
  const reason = reasonMissing(server);
  if (reason) return { web: { server, browser: [], preflight: reason, head: reason } };
  const before = known && context.now !== null ? viewsBefore(known, context.now) : null;
  if (!before) return { web: { server, ...(await browserViews(view, context)) } };
  const reused: ResourceViews = { web: { server, ...before.views }, viewsReusedFrom: before.observedAt };
  if (context.daily) return reused;
  const key = `${kind} ${originOf(lastHop(server)?.url ?? '')}`;
  const web = await context.hosts.viewsIfChanged(key, before.views, () => browserViews(view, context));
  return web === null ? reused : { web: { server, ...web } };
}

/** Sends the requests of a browser, with the requests that follow if responses differ or were refused. */
export async function browserViews(view: ServerView, context: ObserveContext): Promise<Views> {
  const { server } = view;
  const get = browserGet(view, context);
  const { facts, sent, repeated } = await runProbes(BROWSER, { server, get, browser: null, sha256: null }, context);
  const views: Views = { browser: [], preflight: SAMPLED, head: SAMPLED, ...facts };
  const [differences, repeatedProbes] = await Promise.all([
    probeDifferences(views, server, get, context),
    repeatRefused(sent, get, context),
  ]);
  const last: Views = { ...views, ...differences };
  const isUnexplained = last.headerProbes === undefined && isDifferent(last.browser);
  const alternating = isUnexplained ? context.hosts.alternating(lastHop(server)?.url ?? '') : undefined;
  if (alternating) repeatedProbes.push({ ...alternating, of: 'browser' });
  repeatedProbes.push(...repeated.slice(0, 1));
  return { ...last, ...(repeatedProbes.length > 0 ? { repeatedProbes } : {}) };
}

/**
 * Sends the conditional requests for a document.
 * @param sha256 the digest of the document that the host just sent
 */
export async function conditionalViews(view: ServerView, sha256: string, context: ObserveContext): Promise<Outcome> {
  const { server } = view;
  return runProbes(SERVER, { server, get: browserGet(view, context), browser: null, sha256 }, context);
}

/** The request of a browser for a resource, from the first page. */
export function browserGet(
  { kind, server, accept, reference, limit }: ServerView,
  { origins: [page = PROBE_ORIGIN] }: ObserveContext,
): BrowserGet {
  const [first] = server.hops;
  if (!first) throw new Error('Only a requested resource has views.');
  return {
    url: first.url,
    kind,
    key: `${kind} ${server.hops.map(({ url }) => originOf(url)).join(' ')}`,
    page,
    like: 'fetch',
    accept: kind === 'icon' ? IMAGE_ACCEPT : accept,
    headers: kind === 'artifact' ? [['range', 'bytes=0-0']] : [],
    reference,
    limit,
  };
}

/** The reason why HEAD and preflights were not sent for a resource. */
const SAMPLED: Missing = { missing: { code: 'sampled' }, runWide: true, intentional: true };

const SAME_ORIGIN: Missing = { missing: { code: 'same-origin' }, intentional: true };

/** The requests of a browser. */
const BROWSER: readonly ViewProbe[] = [
  {
    on: ['manifest', 'metadata', 'icon'],
    share: 'each',
    // Failures are probed.
    attempts: 'once',
    request: ({ get }, context) => pagesOf(context).map((page) => getRequest({ ...get, page }, context)),
    fact: (answers) => ({ browser: probesOf(answers) }),
  },
  {
    // One byte, so that it is not fetched twice; all of it if the host never answers requests with a Range.
    on: ['artifact'],
    share: 'each',
    attempts: 'bounded',
    of: 'range',
    unanswered: 'range-request-unanswered',
    request: ({ get }, context) =>
      pagesOf(context).map((page) => ({
        ...getRequest({ ...get, page, headers: [['range', 'bytes=0-0']] }, context),
        instead: getRequest({ ...get, page, headers: [] }, context),
      })),
    fact: (answers) => ({ browser: probesOf(answers) }),
  },
  {
    share: 'sample',
    attempts: 'bounded',
    of: 'HEAD',
    refused: 'repeat',
    unanswered: 'head-refused',
    request: ({ server, get: { url, page, accept } }, { http, timeouts }) => {
      const shape = { page, mode: 'cors', destination: 'empty', groups: UNCOMPRESSED } as const;
      const tolerant = isRefusedByNode(server);
      const request = { method: 'HEAD', url, origin: page, accept, shape, tolerant, total: timeouts.small } as const;
      return [{ url: lastHop(server)?.url ?? url, send: (attempts) => sendBeside(http, request, attempts) }];
    },
    fact: ([head]) => (head ? { head: head.probe } : {}),
  },
  {
    // Of a GET with a header that is not safelisted, at every URL of its redirect chain: after each redirect the Fetch
    // standard starts over (HTTP-redirect fetch → main fetch), with `Origin: null` once it has become that.
    share: 'sample',
    attempts: 'bounded',
    of: 'preflight',
    refused: 'repeat',
    unanswered: 'cors-preflight-refused',
    request: ({ server, get: { page } }, context) => {
      const chain = server.hops.map(({ url }) => url);
      const tolerant = isRefusedByNode(server);
      return chain.map((_, i) => preflight('GET', chain.slice(0, i + 1), { page, tolerant }, context));
    },
    fact: ([first, ...others]) => ({
      ...(first ? { preflight: first.probe } : {}),
      ...(others.length > 0 ? { preflights: others.map(({ probe }) => probe) } : {}),
    }),
  },
  {
    share: 'first',
    attempts: 'bounded',
    of: 'HEAD preflight',
    refused: 'repeat',
    request: ({ server, get: { url, page } }, context) => [
      preflight('HEAD', [url], { page, tolerant: isRefusedByNode(server) }, context),
    ],
    fact: ([answer]) => (isProbe(answer?.probe) ? { headPreflight: answer.probe } : {}),
  },
  {
    on: ['icon'],
    share: 'first',
    attempts: 'reconnect',
    request: ({ get }, context) => [getRequest({ ...get, like: 'image' }, context)],
    fact: ([answer]) => (isProbe(answer?.probe) ? { image: answer.probe } : {}),
  },
  {
    // Many clients accept only gzip, and hosts keep a file per coding.
    on: ['manifest', 'metadata'],
    share: 'first',
    after: 'browser',
    attempts: 'reconnect',
    when({ browser }) {
      const applied = isProbe(browser) ? contentCodings(lastHop(browser)?.headers ?? []) : [];
      return applied.length > 0 && !applied.includes('gzip');
    },
    request: ({ get }, context) => [getRequest({ ...get, encoding: 'gzip' }, context, ['encoding'])],
    fact: ([answer]) => (isProbe(answer?.probe) ? { gzip: answer.probe } : {}),
  },
  {
    on: ['manifest', 'metadata', 'icon'],
    share: 'first',
    after: 'browser',
    attempts: 'bounded',
    of: 'condition',
    refused: 'repeat',
    request({ get, browser }, context) {
      const condition =
        isProbe(browser) && isAnswered(browser) ? storedCondition(lastHop(browser)?.headers ?? []) : null;
      if (condition === null) return [];
      const request = getRequest({ ...get, headers: [condition], reference: null }, context);
      return [{ ...request, condition: { condition, fabricated: false } }];
    },
    fact: ([answer]) =>
      answer?.request?.condition && isProbe(answer.probe)
        ? { revalidation: { condition: answer.request.condition.condition, probe: answer.probe } }
        : {},
  },
];

/** The conditional requests of a server-side client, for one document of each kind and host. */
const SERVER: readonly ViewProbe[] = [
  {
    share: 'each',
    attempts: 'bounded',
    of: 'condition',
    refused: 'repeat',
    request: ({ server, get, sha256 }, context) =>
      server.hops
        .slice(-1)
        .flatMap((last) =>
          conditionsFrom(last).map((condition) => conditionalRequest(get, last, condition, sha256, context)),
        ),
    fact: (answers) => ({
      conditional: answers.flatMap(({ request, probe }): Conditional[] => {
        if (!request?.condition || isMissing(probe)) return [];
        const sameBytes = isAnswered(probe) ? (request.hasSameBytes?.() ?? null) : null;
        return [{ ...request.condition, probe, sameBytes }];
      }),
    }),
  },
];

/** True for an icon that browsers show although Node.js refuses its response. */
function isRefusedByNode(server: Probe): boolean {
  return lastHop(server)?.refusedByNode !== undefined;
}

function probesOf(answers: readonly Answer[]): Probe[] {
  return answers.map(({ probe }) => probe).filter(isProbe);
}

function pagesOf({ origins }: ObserveContext): readonly string[] {
  return origins.length > 0 ? origins : [PROBE_ORIGIN];
}

function getRequest(get: BrowserGet, context: ObserveContext, groups = groupsOf(get)): SideRequest {
  return { url: get.url, send: (attempts) => getAsBrowser(get, groups, context, attempts) };
}

/**
 * One preflight, for a request with a header that is not safelisted; missing at the page's own origin.
 * @param chain the URLs of the redirect chain up to the one that gets it
 */
function preflight(
  method: 'GET' | 'HEAD',
  chain: readonly string[],
  { page, tolerant }: { page: string; tolerant: boolean },
  { http, secretNames, timeouts }: ObserveContext,
): SideRequest | Missing {
  const last = hopOrigins(page, chain).at(-1);
  const origin = last?.origin ?? null;
  const url = chain.at(-1) ?? '';
  if (origin === null) return SAME_ORIGIN;
  const hasSecrets = secretNames !== null && chain.every((hop) => new URL(hop).origin === secretNames.origin);
  const requestedHeaders = [PROBE_HEADER, ...(hasSecrets ? secretNames.names : [])].sort();
  const headers: [string, string][] = [
    ['access-control-request-method', method],
    ['access-control-request-headers', requestedHeaders.join(',')],
  ];
  const shape = { page, mode: 'cors', destination: 'empty', groups: ALL_GROUPS } as const;
  const total = timeouts.small;
  const request = { method: 'OPTIONS', url, origin, accept: '*/*', headers, shape, tolerant, total } as const;
  return {
    url,
    async send(attempts) {
      const probe = await sendBeside(http, request, attempts);
      return notRequested(probe) === null ? { ...probe, requestedHeaders } : probe;
    },
  };
}

/** The validator that a browser stores; null if there is none. */
function storedCondition(headers: readonly [string, string][]): Conditional['condition'] | null {
  const tag = headerValue(headers, 'etag');
  if (tag !== null && isEntityTag(tag)) return ['if-none-match', tag];
  const date = headerValue(headers, 'last-modified');
  return date !== null && httpDate(date) !== null ? ['if-modified-since', date] : null;
}

/** An entity tag that no host has issued. */
const FABRICATED_TAG = '"appreg-probe-never-issued"';

const DAY = 86_400_000;

type Condition = Pick<Conditional, 'condition' | 'fabricated'>;

/** A validator that the host never issued, and the one that it just sent. */
function conditionsFrom({ headers }: Hop): Condition[] {
  const conditions: Condition[] = [{ condition: ['if-none-match', FABRICATED_TAG], fabricated: true }];
  const tag = headerValue(headers, 'etag');
  const changed = httpDate(headerValue(headers, 'last-modified'));
  if (tag !== null && isEntityTag(tag)) conditions.push({ condition: ['if-none-match', tag], fabricated: false });
  else if (tag === null && changed !== null)
    conditions.push({ condition: ['if-modified-since', new Date(changed - DAY).toUTCString()], fabricated: true });
  return conditions;
}

/** @param last the hop of the plain GET that had the document */
function conditionalRequest(
  { url, accept, limit }: BrowserGet,
  last: Hop,
  condition: Condition,
  sha256: string | null,
  context: ObserveContext,
): SideRequest {
  const { fabricated } = condition;
  const reader = fabricated ? null : perAttempt((hop) => digestChanged(hop, last, limit, context));
  const request = {
    method: 'GET',
    url,
    // Also shows how the host responds to an unknown origin; all other requests name the service's own.
    origin: fabricated && context.origins.length > 0 ? PROBE_ORIGIN : null,
    accept,
    headers: [condition.condition],
    total: context.timeouts.small,
  } as const;
  return {
    url,
    condition,
    // The bodies of repeated requests are not compared.
    send: (attempts) =>
      sendBeside(
        context.http,
        reader !== null && attempts !== 'repeat' ? { ...request, body: reader.body } : request,
        attempts,
      ),
    hasSameBytes() {
      const digest = reader?.last()?.digest() ?? null;
      return digest === null ? null : digest === sha256;
    },
  };
}

/** Digests a body that is sent under another entity tag than before. */
function digestChanged(
  hop: Hop,
  before: Hop,
  limit: number,
  context: ObserveContext,
): BodyReader & { digest(): string | null } {
  const isSameTag = headerValue(hop.headers, 'etag') === headerValue(before.headers, 'etag');
  if (!isSameTag) context.onBody(hop);
  const digester = isSameTag ? null : createDigester(limit);
  return {
    limit: isSameTag ? 0 : limit,
    over: 'cut',
    write(chunk) {
      context.onBytes(chunk.length);
      digester?.write(chunk);
    },
    digest: () => digester?.end().sha256 ?? null,
  };
}
