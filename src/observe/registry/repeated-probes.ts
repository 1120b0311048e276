import type { Missing, Probe, RepeatedProbe, ResourceKind, SideProbe } from '../../core/facts/facts.ts';
import { blockedBy } from '../../core/facts/missing.ts';
import { isIntermittent, isRefusalStatus, isUnanswered, mayBeRepeated } from '../../core/facts/repeated-probes.ts';
import { lastHop, notRequested, originOf, statusOf } from '../../core/http/probe.ts';
import { memoizeAsync } from './concurrency.ts';
import type { ObserveContext } from './context.ts';
import { probeAgain } from './retry-probes.ts';

/** Repeats a request that failed unlike the plain GET, to see whether the status depends on the request. */

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

/**
 * Repeats the request, once per kind of resource and request and per host.
 * @param probe the result of the request
 * @param send sends it again
 * @returns null if there was no need
 */
export async function repeat(
  of: SideProbe,
  probe: Probe,
  resource: RepeatedResource,
  send: () => Promise<Probe>,
  context: ObserveContext,
): Promise<RepeatedProbe | null> {
  const hop = lastHop(probe);
  if (!hop || notRequested(probe) !== null || !mayBeRepeated(of, probe)) return null;
  const origin = originOf(hop.url);
  if (probe.failure !== null)
    return memoizeAsync(context.state.unanswered, `${of} ${origin}`, async () => {
      const [round] = ROUNDS;
      const repeated = await repeatInRounds(of, resource, send, [round], context);
      // The one that was not answered may be the target of a redirect.
      return repeated !== null && isUnanswered(repeated) ? { ...repeated, url: hop.url } : null;
    });
  const key = `${of} ${resource.kind} ${origin}`;
  const { repeatedProbes, alternatingOrigins } = context.state;
  const known = repeatedProbes.get(key);
  if (known) return known;
  // A host that supports the method and rejects it uses the first two; the HTTP client repeats the others itself.
  const isOnce = [405, 501, 503].includes(hop.status) || (of === 'condition' && hop.status >= 500);
  const rounds = isOnce ? ROUNDS.slice(0, 1) : ROUNDS;
  const repeating = repeatInRounds(of, resource, send, rounds, context);
  repeatedProbes.set(key, repeating);
  const repeated = await repeating;
  if (repeated !== null && repeated.plain.some(isRefusalStatus)) alternatingOrigins.set(origin, repeated);
  return repeated;
}

/** Why such a request is not sent: another one showed that the host never answers them; null if none did. */
export async function knownAsUnanswered(
  of: keyof typeof RULES,
  url: string,
  { state }: ObserveContext,
): Promise<Missing | null> {
  const repeated = await state.unanswered.get(`${of} ${originOf(url)}`);
  return repeated ? { ...blockedBy(RULES[of]), intentional: true } : null;
}

/** The rules that report a host that never answers such requests. */
const RULES = { preflight: 'cors-preflight-refused', HEAD: 'head-refused', range: 'range-request-unanswered' } as const;

async function repeatInRounds(
  of: SideProbe,
  { kind, url, accept }: RepeatedResource,
  send: () => Promise<Probe>,
  rounds: readonly string[],
  { http, timeouts }: ObserveContext,
): Promise<RepeatedProbe | null> {
  const headers: [string, string][] = kind === 'artifact' && of !== 'range' ? [['range', 'bytes=0-0']] : [];
  const sendPlain = (): Promise<Probe> =>
    probeAgain(http, { method: 'GET', url, origin: null, accept, headers, total: timeouts.small });
  const repeated: RepeatedProbe = { of, url, plain: [], same: [] };
  for (const order of rounds) {
    if (isIntermittent(repeated)) break;
    const round = [...order].map(async (letter) =>
      letter === 'p'
        ? { statuses: repeated.plain, probe: await sendPlain() }
        : { statuses: repeated.same, probe: await send() },
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
