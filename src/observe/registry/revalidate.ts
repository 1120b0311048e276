import type { Hop, Resource, Probe } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { header, headerLines, httpDate } from '../../core/http/headers.ts';
import { isAnswered } from '../../core/http/probe.ts';

/** Revalidates what an earlier run observed (RFC 9110 section 13, RFC 9111 section 4.3). */

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** The headers of a conditional request for a resource; null if it has no usable validator. */
export function conditionsFor({ web }: Resource): [string, string][] | null {
  const last = isMissing(web) ? undefined : web.server.hops.at(-1);
  if (!last) return null;
  const tag = header(last.headers, 'etag');
  if (tag !== null && ENTITY_TAG.test(tag)) return [['if-none-match', tag]];
  const changed = header(last.headers, 'last-modified');
  const [at, date] = [httpDate(changed), httpDate(header(last.headers, 'date'))];
  // It may have changed twice within that second (RFC 9110 section 8.8.2.2).
  return at === null || date === null || date - at < 1000 ? null : [['if-modified-since', changed!]];
}

/** True if a response may be caused by the condition, so that a request without one is justified. */
export function isOwedToCondition(visit: Probe): boolean {
  const status = visit.hops.at(-1)?.status ?? 0;
  return visit.failure === null && [304, 400, 412, 501].includes(status);
}

/**
 * The probe with a complete response, if a 304 confirmed the earlier facts; null if it did not, or if the redirects
 * differ.
 */
export function confirmed({ web }: Resource, visit: Probe): Probe | null {
  const last = visit.hops.at(-1);
  if (isMissing(web) || !last || visit.failure !== null || last.status !== 304) return null;
  const before = web.server.hops;
  const sameWay = before.length === visit.hops.length && before.every((hop, i) => hop.url === visit.hops[i]!.url);
  const stored = before.at(-1)!;
  const tags = [stored, last].map((hop) => header(hop.headers, 'etag'));
  const sameTag = tags[1] === null || weak(tags[0]) === weak(tags[1]);
  if (!sameWay || !sameTag) return null;
  return {
    ...visit,
    hops: [...visit.hops.slice(0, -1), { ...last, status: stored.status, headers: updated(stored, last) }],
  };
}

function weak(tag: string | null | undefined): string | null {
  return tag?.replace(/^W\//, '') ?? null;
}

/** Headers of a 304 about the connection or its own (empty) body do not apply to the stored response. */
const OWN = /^(?:content-.*|transfer-encoding|connection|keep-alive|trailer|upgrade|te)$/;

/** The stored headers, updated by those of a 304 (RFC 9111 section 3.2). */
function updated({ headers: stored }: Hop, { headers: fresh }: Hop): [string, string][] {
  const names = new Set(fresh.map(([name]) => name).filter((name) => !OWN.test(name)));
  // Age belongs to each response; Expires is relative to the Date that came with it.
  const dropped = new Set(['age']);
  if (names.has('date') && !names.has('expires') && headerLines(stored, 'expires').length > 0) names.delete('date');
  return [
    ...stored.filter(([name]) => !names.has(name) && !dropped.has(name)),
    ...fresh.filter(([name]) => names.has(name)),
  ];
}

/** True for an observation without any error, which another run need not repeat. */
export function isUntroubled(visit: Probe): boolean {
  return (
    visit.failure === null &&
    visit.attempts === 1 &&
    visit.retryAfterMs === 0 &&
    (visit.retriedErrors ?? []).length === 0
  );
}

/** True for one that also got a complete 2xx response. */
export function isWhole({ web }: Resource): boolean {
  return !isMissing(web) && isAnswered(web.server) && isUntroubled(web.server);
}
