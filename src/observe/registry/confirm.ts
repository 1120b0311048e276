import {
  type HeaderGroup,
  type HeaderProbe,
  isMissing,
  type Missing,
  type Probe,
  type RepeatedProbe,
  type ResourceKind,
  type SideProbe,
} from '../../core/facts/facts.ts';
import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import {
  alternatingStatuses,
  dependenceOf,
  isOther,
  isRefusal,
  isUndecided,
  transientError,
} from '../../core/http/header-probes.ts';
import { isAnswered, lastHop, mergeAttempts, notRequested, statusOf } from '../../core/http/probe.ts';
import { differingHeaders, doHeadersDiffer, dependOnAnything } from '../../core/http/judged-headers.ts';
import { isIntermittent, isUnanswered, mayBeRepeated } from '../../core/http/repeated-probes.ts';
import { sendBeside } from '../http/attempts.ts';
import { type BrowserGet, getAsBrowser, groupsOf } from './browser-get.ts';
import type { Views } from './cache.ts';
import type { ObserveContext } from './context.ts';
import { hasSameValidators } from './sample.ts';

/**
 * The requests for a resource that follow if responses differ or fail, so that no finding depends on one sample:
 * repetitions of a request that failed unlike the plain GET, and requests between a server-side client's and a
 * browser's, to find out which header changes the response.
 */

/**
 * The order of the requests in each round: plain GETs (p) and the other request (o). It varies, so that alternating
 * responses do not correlate with the kind of request.
 */
const ROUNDS = ['poop', 'opop', 'ppoo'] as const;

interface RepeatedResource {
  kind: ResourceKind;
  /** The initially requested URL. */
  url: string;
  accept: string;
}

/** A request, and the response to it. */
export interface SentRequest {
  of: SideProbe;
  probe: Probe;
  /** Sends it again. */
  again(): Promise<Probe>;
}

/** Repeats requests that got an error status: one sample does not show that the status depends on the request. */
export async function repeatRefused(
  sent: readonly SentRequest[],
  resource: RepeatedResource,
  context: ObserveContext,
): Promise<RepeatedProbe[]> {
  const repeated = await Promise.all(sent.map((request) => repeat(request, resource, context)));
  return repeated.filter((result) => result !== null);
}

/**
 * Repeats a request that was refused or not answered, once per kind of resource and request and per host.
 * @returns null if there was no need
 */
export async function repeat(
  { of, probe, again }: SentRequest,
  resource: RepeatedResource,
  context: ObserveContext,
): Promise<RepeatedProbe | null> {
  const hop = lastHop(probe);
  if (!hop || notRequested(probe) !== null || !mayBeRepeated(of, probe)) return null;
  const { hosts } = context;
  const [round] = ROUNDS;
  if (probe.failure !== null)
    return hosts.unanswered(of, hop.url, async () => {
      const repeated = await repeatInRounds(of, resource, again, [round], context);
      // The one that was not answered may be the target of a redirect.
      return repeated !== null && isUnanswered(repeated) ? { ...repeated, url: hop.url } : null;
    });
  // A host that supports the method and rejects it uses the first two; the HTTP client repeats the others itself.
  const isOnce = [405, 501, 503].includes(hop.status) || (of === 'condition' && hop.status >= 500);
  return hosts.refused(of, resource.kind, hop.url, () =>
    repeatInRounds(of, resource, again, isOnce ? [round] : ROUNDS, context),
  );
}

async function repeatInRounds(
  of: SideProbe,
  { kind, url, accept }: RepeatedResource,
  again: () => Promise<Probe>,
  rounds: readonly string[],
  { http, timeouts }: ObserveContext,
): Promise<RepeatedProbe | null> {
  const headers: [string, string][] = kind === 'artifact' && of !== 'range' ? [['range', 'bytes=0-0']] : [];
  const sendPlain = (): Promise<Probe> =>
    sendBeside(http, { method: 'GET', url, origin: null, accept, headers, total: timeouts.small }, 'repeat');
  const repeated: RepeatedProbe = { of, url, plain: [], same: [] };
  for (const order of rounds) {
    if (isIntermittent(repeated)) break;
    const round = [...order].map(async (letter) =>
      letter === 'p'
        ? { statuses: repeated.plain, probe: await sendPlain() }
        : { statuses: repeated.same, probe: await again() },
    );
    for (const { statuses, probe } of await Promise.all(round)) statuses.push(...statusesOf(probe));
  }
  return repeated.plain.length > 0 && repeated.same.length > 0 ? repeated : null;
}

/** The statuses of all attempts. */
function statusesOf(probe: Probe): number[] {
  if (notRequested(probe) !== null) return [];
  const earlier = (probe.retriedErrors ?? []).map((error) => Number(/^status (\d+)$/.exec(error)?.[1] ?? 0));
  return [...earlier, probe.failure === null ? statusOf(probe) : 0];
}

/** Probes a resource that responded differently to a browser. */
async function probeHeaders(get: BrowserGet, context: ObserveContext): Promise<HeaderProbe[]> {
  const { hosts } = context;
  const key = get.like === 'image' ? `image ${get.key}` : get.key;
  const probes = await hosts.probeFew(key, () => probeInRounds(get, context));
  const alternating = alternatingStatuses({ headerProbes: probes }, get.like);
  if (alternating) hosts.noteAlternating(alternating);
  return probes;
}

/**
 * The requests of a round are sent at once, over several connections, since a connection may lead to one of several
 * servers. A refusal that depends on the headers is confirmed by a third round.
 */
async function probeInRounds(get: BrowserGet, context: ObserveContext): Promise<HeaderProbe[]> {
  const all = groupsOf(get);
  const first = await round([[], [], all, ...all.map((group) => [group])], 1);
  if (!isUndecided(first)) return first;
  const second = [...first, ...(await round([[], [], all, all], 2))];
  const dependence = dependenceOf({ headerProbes: second }, get.like);
  const isDependent = dependence?.on === 'headers' || dependence?.on === 'together';
  if (!isDependent || !second.some(({ probe }) => isRefusal(probe))) return second;
  // In two orders, so that alternating responses do not correlate with the headers.
  return [...second, ...(await round([[], all, all, []], 3)), ...(await round([[], all, [], all], 3))];

  function round(list: readonly (readonly HeaderGroup[])[], number: HeaderProbe['round']): Promise<HeaderProbe[]> {
    return Promise.all(
      list.map(async (sent) => ({
        like: get.like,
        sent: [...sent],
        round: number,
        probe: await getAsBrowser(get, sent, context, 'once'),
      })),
    );
  }
}

/** True if a browser's responses differ from the server-side client's, so that they are probed. */
export function isDifferent(browser: readonly Probe[]): boolean {
  return browser.some((probe) => isOther(probe) && probe.failure?.phase !== 'time');
}

/** The origin for the probes: the first one that got a different response. */
function differingOrigin(browser: readonly Probe[]): string {
  return browser.find((probe) => isOther(probe))?.origin ?? PROBE_ORIGIN;
}

/** A difference between responses, and the requests to find out which header it depends on. */
interface Difference {
  /** The view that may be one that did not return; absent if it is none of GET. */
  of?: 'browser' | 'gzip' | 'image';
  /** Changes the browser's GET for these requests; null if the responses do not differ so. */
  when(views: Partial<Views>, server: Probe): Partial<BrowserGet> | null;
  /** False if the requests show that the difference is not one of GET; absent: they are always kept. */
  keep?(probes: readonly HeaderProbe[], server: Probe): boolean;
}

const DIFFERENCES: readonly Difference[] = [
  {
    of: 'browser',
    when: ({ browser = [] }) => (isDifferent(browser) ? { page: differingOrigin(browser) } : null),
  },
  { of: 'gzip', when: ({ gzip }) => (gzip && isDifferent([gzip]) ? { encoding: 'gzip' } : null) },
  {
    of: 'image',
    when: ({ image, browser = [] }) =>
      image && isDifferent([image]) && !isDifferent(browser) ? { like: 'image' } : null,
  },
  {
    of: 'browser',
    when: (views, server) => (doHeadersDiffer({ ...NO_VIEWS, ...views, server }, 'fetch') ? {} : null),
    keep: dependsOnAnything,
  },
  {
    of: 'image',
    when: (views, server) => (doHeadersDiffer({ ...NO_VIEWS, ...views, server }, 'image') ? { like: 'image' } : null),
    keep: dependsOnAnything,
  },
  {
    // GET may return another length or validator as well.
    when: ({ head }, server) =>
      head === undefined || isMissing(head) || !isAnswered(head) || hasSameValidators(server, head) ? null : {},
    keep: (probes, server) =>
      probes.some(({ sent, probe }) => isOther(probe) || (sent.length === 0 && !hasSameValidators(server, probe))),
  },
  {
    // The conditional request may have met another server.
    when: ({ conditional = [] }) => (conditional.some(({ sameBytes }) => sameBytes === false) ? {} : null),
    keep: (probes) => probes.some(({ probe }) => isOther(probe)),
  },
];

/**
 * Sends the requests for the first difference that is one of GET.
 * @param get the browser's request from the first page
 * @returns these requests, and the views whose first response did not return, as the last one was
 */
export async function probeDifferences(
  views: Partial<Views>,
  server: Probe,
  get: BrowserGet,
  context: ObserveContext,
): Promise<Pick<Views, 'headerProbes'> & Partial<Views>> {
  let lastViews: Partial<Views> = {};
  for (const { of, when, keep } of DIFFERENCES) {
    const changed = when({ ...views, ...lastViews }, server);
    const probes = changed === null ? [] : await probeHeaders({ ...get, ...changed }, context);
    if (probes.length === 0) continue;
    if (of !== undefined) lastViews = { ...lastViews, ...lastState(of, { ...views, ...lastViews }, probes) };
    if (keep?.(probes, server) ?? probes.some(({ probe }) => isOther(probe)))
      return { ...lastViews, headerProbes: probes };
  }
  return lastViews;
}

const NOT_SENT: Missing = { missing: { code: 'sampled' } };
const NO_VIEWS: Views = { browser: [], preflight: NOT_SENT, head: NOT_SENT };

function dependsOnAnything(headerProbes: readonly HeaderProbe[], server: Probe): boolean {
  return dependOnAnything({ ...NO_VIEWS, server, headerProbes: [...headerProbes] });
}

/** The view, as the last requests like it were answered, if its own response did not return. */
function lastState(
  of: 'browser' | 'gzip' | 'image',
  views: Partial<Views>,
  probes: readonly HeaderProbe[],
): Partial<Views> {
  const later = probes.filter(({ sent }) => sent.length > 1).map(({ probe }) => probe);
  const ofView = (view: Probe): Probe => laterResponse(view, later) ?? view;
  if (of === 'browser')
    return { browser: (views.browser ?? []).map((view) => (view.origin === later[0]?.origin ? ofView(view) : view)) };
  const view = views[of];
  return view === undefined ? {} : { [of]: ofView(view) };
}

/**
 * The last response to the same request, with the attempt before it, if the first one did not return. If responses
 * alternate, one like that of the plain GET, so that the host's other answers to browsers are judged by it. Null if
 * neither is so.
 */
function laterResponse(view: Probe, later: readonly Probe[]): Probe | null {
  const good = later.filter((probe) => isAnswered(probe) && !isOther(probe));
  const last = good.at(-1);
  if (last === undefined) return null;
  if (good.length < later.length) return isOther(view) ? last : null;
  const headers = differingHeaders(view, last);
  if (!isOther(view) && !later.every((probe) => differingHeaders(view, probe).length > 0)) return null;
  return mergeAttempts(view, last, transientError(view, headers));
}
