import type { Hop, Resource, Probe } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { header, headerLines, httpDate } from '../../core/http/headers.ts';
import { isAnswered } from '../../core/http/probe.ts';

/** Asking a host whether what an earlier run saw still stands (RFC 9110 section 13, RFC 9111 section 4.3). */

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** The request headers that ask for a resource only if it changed; null where nothing of it can tell. */
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

/** True where an answer may be owed to the condition alone, so that asking without one is fair. */
export function isOwedToCondition(visit: Probe): boolean {
  const status = visit.hops.at(-1)?.status ?? 0;
  return visit.failure === null && [304, 400, 412, 501].includes(status);
}

/**
 * The visit as one with a whole answer, where a 304 said that what is known still stands; null where it did not, or
 * came along another way.
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

/** What a 304 says of the connection or of its own body, which it has none of, is not about what is stored. */
const OWN = /^(?:content-.*|transfer-encoding|connection|keep-alive|trailer|upgrade|te)$/;

/** The stored headers, updated by those of a 304 (RFC 9111 section 3.2). */
function updated({ headers: stored }: Hop, { headers: fresh }: Hop): [string, string][] {
  const names = new Set(fresh.map(([name]) => name).filter((name) => !OWN.test(name)));
  // How old a copy is, is said of each answer by itself; an Expires is counted from the Date that came with it.
  const dropped = new Set(['age']);
  if (names.has('date') && !names.has('expires') && headerLines(stored, 'expires').length > 0) names.delete('date');
  return [
    ...stored.filter(([name]) => !names.has(name) && !dropped.has(name)),
    ...fresh.filter(([name]) => names.has(name)),
  ];
}

/** True for a look that went without any trouble, so that there is nothing in it that another run should see anew. */
export function isUntroubled(visit: Probe): boolean {
  return (
    visit.failure === null &&
    visit.attempts === 1 &&
    visit.retryAfterMs === 0 &&
    (visit.retriedErrors ?? []).length === 0
  );
}

/** True for one that got a whole 2xx answer besides. */
export function isWhole({ web }: Resource): boolean {
  return !isMissing(web) && isAnswered(web.server) && isUntroubled(web.server);
}
