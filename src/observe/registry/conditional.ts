import {
  type Conditional,
  type Hop,
  isMissing,
  type Probe,
  type RepeatedProbe,
  type Resource,
  type ResourceKind,
} from '../../core/facts/facts.ts';
import { mayBeRepeated } from '../../core/http/repeated-probes.ts';
import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import { header, headerLines, httpDate } from '../../core/http/headers.ts';
import { isAnswered, lastHop, notRequested, statusOf } from '../../core/http/probe.ts';
import { createDigester } from '../digest/digest.ts';
import { type Body, perAttempt } from '../http/body.ts';
import type { ObserveContext } from './context.ts';
import { type FetchedResource, type FetchOptions, fetchResource, sendRegardless, sendAccompanying } from './fetch.ts';
import { repeat } from './further-requests.ts';
import { isEntityTag } from '../http/request-shape.ts';

/**
 * Conditional requests (RFC 9110 section 13): those that revalidate what an earlier run observed, and those that show
 * whether a host honors conditions.
 */

/** Revalidates the earlier facts: returns the confirmed probe, or what was fetched instead, or neither. */
export async function revalidate(
  url: string,
  options: FetchOptions,
  context: ObserveContext,
  known: Resource | null,
): Promise<{ confirmed?: Probe; fetched?: FetchedResource }> {
  const conditions = known?.url === url ? revalidationHeaders(known) : null;
  if (!known || !conditions) return {};
  const fetched = await fetchResource(url, options, context, conditions);
  const confirmed = confirmedProbe(known, fetched.probe);
  if (confirmed) return { confirmed };
  return isCausedByCondition(fetched.probe) ? {} : { fetched };
}

// Revalidation (RFC 9111 section 4.3).

/** As in RFC 9110 section 8.8.3: stricter than what browsers send back (`isEntityTag`). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** The headers of a conditional request for a resource; null if it has no usable validator. */
function revalidationHeaders({ web }: Resource): [string, string][] | null {
  const condition = isMissing(web) ? null : conditionAfter(web.server);
  return condition === null ? null : [condition];
}

/** The header that makes a later request conditional on the response of a probe; null if it has no usable validator. */
export function conditionAfter(probe: Probe): [name: string, value: string] | null {
  const last = lastHop(probe);
  if (!last) return null;
  const tag = header(last.headers, 'etag');
  if (tag !== null && ENTITY_TAG.test(tag)) return ['if-none-match', tag];
  const lastModified = header(last.headers, 'last-modified');
  const changed = httpDate(lastModified);
  const date = httpDate(header(last.headers, 'date'));
  // It may have changed twice within that second (RFC 9110 section 8.8.2.2).
  if (lastModified === null || changed === null || date === null || date - changed < 1000) return null;
  return ['if-modified-since', lastModified];
}

/** True if a 304 says that what has the validator of the condition is unchanged. */
export function isConfirmedBy(probe: Probe, [name, value]: readonly [name: string, value: string]): boolean {
  if (probe.failure !== null || statusOf(probe) !== 304) return false;
  const tag = header(lastHop(probe)?.headers ?? [], 'etag');
  return name !== 'if-none-match' || tag === null || weakTag(tag) === weakTag(value);
}

/** True if a response, or its absence, may be caused by the condition, so that a request without one is justified. */
export function isCausedByCondition(probe: Probe): boolean {
  if (probe.failure !== null) return mayBeRepeated('condition', probe);
  return [304, 400, 412, 501].includes(statusOf(probe));
}

/**
 * The probe with a complete response, if a 304 confirmed the earlier facts; null if it did not, or if the redirects
 * differ.
 */
function confirmedProbe({ web }: Resource, probe: Probe): Probe | null {
  const last = lastHop(probe);
  if (isMissing(web) || !last || probe.failure !== null || last.status !== 304) return null;
  const before = web.server.hops;
  const stored = before.at(-1);
  const hasSameHops = before.length === probe.hops.length && before.every(({ url }, i) => url === probe.hops[i]?.url);
  if (!stored || !hasSameHops) return null;
  const tag = header(last.headers, 'etag');
  if (tag !== null && weakTag(tag) !== weakTag(header(stored.headers, 'etag'))) return null;
  return {
    ...probe,
    hops: [...probe.hops.slice(0, -1), { ...last, status: stored.status, headers: updatedHeaders(stored, last) }],
  };
}

function weakTag(tag: string | null): string | null {
  return tag?.replace(/^W\//, '') ?? null;
}

/** Headers of a 304 about the connection or its own (empty) body do not apply to the stored response. */
const OWN_HEADERS = /^(?:content-.*|transfer-encoding|connection|keep-alive|trailer|upgrade|te)$/;

/** The stored headers, updated by those of a 304 (RFC 9111 section 3.2). */
function updatedHeaders({ headers: stored }: Hop, { headers: fresh }: Hop): [string, string][] {
  const names = new Set(fresh.map(([name]) => name).filter((name) => !OWN_HEADERS.test(name)));
  // Age belongs to each response; Expires is relative to the Date that came with it.
  const dropped = new Set(['age']);
  if (names.has('date') && !names.has('expires') && headerLines(stored, 'expires').length > 0) names.delete('date');
  return [
    ...stored.filter(([name]) => !names.has(name) && !dropped.has(name)),
    ...fresh.filter(([name]) => names.has(name)),
  ];
}

// The conditional requests for a document, which save the hourly check most of its bytes.

/** An entity tag that no host has issued. */
const FABRICATED_TAG = '"appreg-probe-never-issued"';
const DAY = 86_400_000;

type Condition = Pick<Conditional, 'condition' | 'fabricated'>;

/**
 * Sends one request with a validator that the host never issued, and one with the validator that it just sent.
 * @param sha256 the digest of the document that the host just sent
 */
export async function probeConditions(
  { server, accept, limit }: { server: Probe; accept: string; limit: number },
  sha256: string,
  context: ObserveContext,
): Promise<Conditional[]> {
  const [first] = server.hops;
  const last = server.hops.at(-1);
  if (!first || !last) return [];
  const sent = conditionsFrom(last).map(async ({ condition, fabricated }): Promise<Conditional> => {
    const reader = fabricated ? null : perAttempt((hop) => digestChanged(hop, last, limit, context));
    const probe = await sendAccompanying(context.http, {
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
  { kind, accept }: { kind: ResourceKind; accept: string },
  context: ObserveContext,
): Promise<RepeatedProbe | null> {
  const refused = conditional.find(({ probe }) => probe.origin === null && mayBeRepeated('condition', probe));
  const url = first.hops[0]?.url;
  if (!refused || url === undefined) return null;
  const sendAgain = (): Promise<Probe> =>
    sendRegardless(context.http, {
      method: 'GET',
      url,
      origin: null,
      accept,
      headers: [refused.condition],
      total: context.timeouts.small,
    });
  return repeat('condition', refused.probe, { kind, url, accept }, sendAgain, context);
}
