import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import type { Conditional, Hop, Probe, RepeatedProbe } from '../../core/facts/facts.ts';
import { mayBeRepeated } from '../../core/facts/repeated-probes.ts';
import { header, httpDate } from '../../core/http/headers.ts';
import { isAnswered } from '../../core/http/probe.ts';
import { createDigester } from '../digest/digest.ts';
import { type Body, perAttempt } from '../http/body.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import type { ServerView } from './browser-views.ts';
import type { ObserveContext } from './context.ts';
import { isEntityTag } from './entity-tag.ts';
import { repeat } from './repeated-probes.ts';
import { probeAgain, probeSide } from './retry-probes.ts';

/** Conditional requests for a document (RFC 9110 section 13), which save the hourly check most of its bytes. */

/** An entity tag that no host has issued. */
const FABRICATED_TAG = '"appreg-probe-never-issued"';
const DAY = 86_400_000;

type Condition = Pick<Conditional, 'condition' | 'fabricated'>;

/**
 * Sends one request with a validator that the host never issued, and one with the validator that it just sent.
 * @param sha256 the digest of the document that the host just sent
 */
export async function probeConditions(
  { server, accept, limit }: ServerView,
  sha256: string,
  context: ObserveContext,
): Promise<Conditional[]> {
  const [first] = server.hops;
  const last = server.hops.at(-1);
  if (!first || !last) return [];
  const sent = conditionsFrom(last).map(async ({ condition, fabricated }): Promise<Conditional> => {
    const reader = fabricated ? null : perAttempt((hop) => digestChanged(hop, last, limit, context));
    const probe = await probeSide(context.http, {
      method: 'GET',
      url: first.url,
      // Also shows how the host responds to an unknown origin; all other requests name the service's own.
      origin: fabricated && context.origins.length > 0 ? PROBE_ORIGIN : null,
      accept,
      headers: [condition],
      total: context.timeouts.small,
      ...(reader && { body: reader.body }),
    });
    const digest = reader?.last()?.digest() ?? null;
    return { condition, fabricated, probe, sameBytes: digest !== null && isAnswered(probe) ? digest === sha256 : null };
  });
  const all = await Promise.all(sent);
  return all.filter(({ probe }) => notRequested(probe) === null);
}

function conditionsFrom({ headers }: Hop): Condition[] {
  const conditions: Condition[] = [{ condition: ['if-none-match', FABRICATED_TAG], fabricated: true }];
  const tag = header(headers, 'etag');
  const changed = httpDate(header(headers, 'last-modified'));
  if (tag !== null && isEntityTag(tag)) conditions.push({ condition: ['if-none-match', tag], fabricated: false });
  else if (tag === null && changed !== null)
    conditions.push({ condition: ['if-modified-since', new Date(changed - DAY).toUTCString()], fabricated: true });
  return conditions;
}

/** Digests a body that is sent under another entity tag than before. */
function digestChanged(
  hop: Hop,
  before: Hop,
  limit: number,
  context: ObserveContext,
): Body & { digest(): string | null } {
  const isSameTag = header(hop.headers, 'etag') === header(before.headers, 'etag');
  if (!isSameTag) context.onBody(hop);
  const digester = isSameTag ? null : createDigester(limit);
  return {
    limit: isSameTag ? 0 : limit,
    over: 'cut',
    instant: true,
    write(chunk) {
      context.onBytes(chunk.length);
      digester?.write(chunk);
    },
    digest: () => digester?.end().sha256 ?? null,
  };
}

/**
 * Repeats the request with a condition that was refused; null if none was. An unknown origin may be refused for other
 * reasons.
 */
export async function repeatCondition(
  first: Probe,
  conditional: readonly Conditional[],
  { kind, accept }: Pick<ServerView, 'kind' | 'accept'>,
  context: ObserveContext,
): Promise<RepeatedProbe | null> {
  const refused = conditional.find(({ probe }) => probe.origin === null && mayBeRepeated('condition', probe));
  const url = first.hops[0]?.url;
  if (!refused || url === undefined) return null;
  const sendAgain = (): Promise<Probe> =>
    probeAgain(context.http, {
      method: 'GET',
      url,
      origin: null,
      accept,
      headers: [refused.condition],
      total: context.timeouts.small,
    });
  return repeat('condition', refused.probe, { kind, url, accept }, sendAgain, context);
}
