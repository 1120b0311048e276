import { freshness } from '../../../core/http/cache.ts';
import type { DocumentFacts, Hop, Probe } from '../../../core/facts/facts.ts';
import { isMissing } from '../../../core/facts/facts.ts';
import { header, httpDate, seconds } from '../../../core/http/headers.ts';

/**
 * The essence of a response about a document, without transient values: the date, the age of a copy, the request id.
 * Two responses with the same fingerprint are judged alike, which `aged` verifies for each outcome that is kept.
 */

/** Headers that describe a single response: the cache that served it, its request id. */
const PASSING =
  /^(?:set-cookie|cf-ray|x-cache.*|x-served-by|x-timer|x-varnish|x-runtime|x-azure-ref|x-(?:proxy|nginx|vercel)-cache|x-amz-(?:cf-(?:id|pop)|id-2)|x-vercel-id|.*request-?id|.*trace-?id|.*correlation-?id|.*uploadid|.*-age|.*-hits|.*ratelimit.*|cf-cache-status|cache-status|cdn-(?:cache|request.*)|traceparent|server-timing|nel|report-to|via)$/;
/** Headers of a 304 about the connection or its own body, which is empty: they are not judged. */
const OWN = /^(?:content-.*|transfer-encoding|connection|keep-alive|trailer|upgrade|te)$/;

/** Seconds: any age is accepted with max-age=0, since it has no effect then; otherwise at most the hourly interval. */
const ANY_AGE = 1e8;
const HOUR = 3600;

type Kind = 'passing' | 'own' | 'date' | 'age' | 'expires' | 'said';
const kinds = new Map<string, Kind>();
/** Limits the number of header names, which are untrusted. */
const KINDS = 1000;

function kindOf(name: string): Kind {
  let kind = kinds.get(name);
  if (kind === undefined) {
    const isMoment = name === 'date' || name === 'age' || name === 'expires';
    kind = isMoment ? name : PASSING.test(name) ? 'passing' : OWN.test(name) ? 'own' : 'said';
    if (kinds.size < KINDS) kinds.set(name, kind);
  }
  return kind;
}

/**
 * The fingerprint of a 304, as a text.
 * @param validator the value of the conditional request @param now milliseconds since 1970
 */
export function responseFingerprint({ hops }: Probe, validator: string, now: number): string {
  let text = '';
  for (const [i, hop] of hops.entries()) {
    text += `${i === 0 ? '' : hop.url} ${hop.status} ${hop.tls === null ? '' : `${hop.tls.fingerprint256} ${hop.tls.protocol}`}\n`;
    let last = '';
    for (const [name, value] of hop.headers) {
      const line = lineOf(hop, name, value, validator, now);
      if (line !== null && line !== last) text += `${line}\n`;
      last = line ?? last;
    }
  }
  return text;
}

function lineOf(hop: Hop, name: string, value: string, validator: string, now: number): string | null {
  switch (kindOf(name)) {
    case 'own':
      return null;
    case 'date':
    case 'passing':
      return name;
    case 'age':
      return (seconds(value) ?? Infinity) <= oldest(hop, now) ? name : `${name}: ${value}`;
    case 'expires': {
      const [end, date] = [httpDate(value), httpDate(header(hop.headers, 'date'))];
      return end === null || date === null ? `${name}: ${value}` : `${name}: ${(end - date) / 1000}`;
    }
    case 'said':
      return value === validator ? name : `${name}: ${value}`;
  }
}

/** Seconds: copies up to this age are equivalent. */
function oldest(hop: Hop, now: number): number {
  const { lifetime } = freshness(hop, now);
  return lifetime === 0 ? ANY_AGE : Math.min(lifetime ?? HOUR, HOUR);
}

/**
 * A document as it would be with another response of the same fingerprint, `later` milliseconds later: if it is judged
 * differently, the judgement depends on more than the fingerprint.
 * @param answer the 304 that confirmed it
 */
export function aged(facts: DocumentFacts, answer: Probe, now: number, later: number): DocumentFacts {
  const { web } = facts;
  const [last, fresh] = [isMissing(web) ? undefined : web.server.hops.at(-1), answer.hops.at(-1)];
  if (isMissing(web) || !last || !fresh) return facts;
  const headers = last.headers.map(([name, value]): [string, string] => {
    const kind = kindOf(name);
    if (kind === 'passing') return [name, 'another'];
    if (kind === 'age') return [name, String(oldest(fresh, now))];
    const moment = kind === 'date' || kind === 'expires' ? httpDate(value) : null;
    const isFresh = fresh.headers.some((line) => line[0] === name && line[1] === value);
    return [name, moment === null || !isFresh ? value : new Date(moment + later).toUTCString()];
  });
  const hops = [...web.server.hops.slice(0, -1), { ...last, headers }];
  return { ...facts, web: { ...web, server: { ...web.server, hops } } };
}
