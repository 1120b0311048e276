import type { Hop, Resource, Probe } from '../../../core/facts/facts.ts';
import { isMissing } from '../../../core/facts/facts.ts';
import { mayBeRepeated } from '../../../core/facts/repeated-probes.ts';
import { header, headerLines, httpDate } from '../../../core/http/headers.ts';
import { isAnswered, lastHop, statusOf } from '../../../core/http/probe.ts';

/** Revalidates what an earlier run observed (RFC 9110 section 13, RFC 9111 section 4.3). */

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** The headers of a conditional request for a resource; null if it has no usable validator. */
export function revalidationHeaders({ web }: Resource): [string, string][] | null {
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
export function confirmedProbe({ web }: Resource, probe: Probe): Probe | null {
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

/** True for a probe without any error, which another run need not repeat. */
export function hasNoErrors(probe: Probe): boolean {
  return (
    probe.failure === null &&
    probe.attempts === 1 &&
    probe.retryAfterMs === 0 &&
    (probe.retriedErrors ?? []).length === 0
  );
}

/** True for a resource with a complete 2xx response, and without any error. */
export function isComplete({ web }: Resource): boolean {
  return !isMissing(web) && isAnswered(web.server) && hasNoErrors(web.server);
}
