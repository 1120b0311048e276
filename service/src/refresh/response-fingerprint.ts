import {
  type DocumentFacts,
  freshness,
  headerValue,
  type Hop,
  httpDate,
  isMissing,
  type Probe,
  secondsIn,
} from 'appreg';

/**
 * The fingerprint of a response about a document, without transient values: the date, the age of a copy, the request
 * id. Two responses with the same fingerprint are judged alike, which `atLaterTime` verifies for each stored outcome.
 */

/** Headers that describe a single response: the cache that served it, its request id. */
const PER_RESPONSE =
  /^(?:set-cookie|cf-ray|x-cache.*|x-served-by|x-timer|x-varnish|x-runtime|x-azure-ref|x-(?:proxy|nginx|vercel)-cache|x-amz-(?:cf-(?:id|pop)|id-2)|x-vercel-id|.*request-?id|.*trace-?id|.*correlation-?id|.*uploadid|.*-age|.*-hits|.*ratelimit.*|cf-cache-status|cache-status|cdn-(?:cache|request.*)|traceparent|server-timing|nel|report-to|via)$/;
/** Headers of a 304 about the connection or its own body, which is empty: they are not judged. */
const NOT_JUDGED = /^(?:content-.*|transfer-encoding|connection|keep-alive|trailer|upgrade|te)$/;

/** Seconds: any age is accepted with max-age=0, since it has no effect then; otherwise at most the hourly interval. */
const ANY_AGE = 1e8;
const HOUR = 3600;

type HeaderKind = 'per-response' | 'not-judged' | 'date' | 'age' | 'expires' | 'content';
const kindsByName = new Map<string, HeaderKind>();
/** Limits the number of header names, which are untrusted. */
const NAMES_LIMIT = 1000;

function kindOf(name: string): HeaderKind {
  let kind = kindsByName.get(name);
  if (kind === undefined) {
    kind = classify(name);
    if (kindsByName.size < NAMES_LIMIT) kindsByName.set(name, kind);
  }
  return kind;
}

function classify(name: string): HeaderKind {
  if (name === 'date' || name === 'age' || name === 'expires') return name;
  if (PER_RESPONSE.test(name)) return 'per-response';
  return NOT_JUDGED.test(name) ? 'not-judged' : 'content';
}

/**
 * The fingerprint of a 304, as a text.
 * @param validator the value of the conditional request
 * @param now milliseconds since 1970
 */
export function responseFingerprint({ hops }: Probe, validator: string, now: number): string {
  let text = '';
  for (const [i, hop] of hops.entries()) {
    text += `${i === 0 ? '' : hop.url} ${hop.status} ${hop.tls === null ? '' : `${hop.tls.fingerprint256} ${hop.tls.protocol}`}\n`;
    let previous = '';
    for (const [name, value] of hop.headers) {
      const line = lineOf(hop, name, value, validator, now);
      if (line !== null && line !== previous) text += `${line}\n`;
      previous = line ?? previous;
    }
  }
  return text;
}

function lineOf(hop: Hop, name: string, value: string, validator: string, now: number): string | null {
  switch (kindOf(name)) {
    case 'not-judged':
      return null;
    case 'date':
    case 'per-response':
      return name;
    case 'age':
      return (secondsIn(value) ?? Infinity) <= maxEquivalentAge(hop, now) ? name : `${name}: ${value}`;
    case 'expires': {
      const [end, date] = [httpDate(value), httpDate(headerValue(hop.headers, 'date'))];
      return end === null || date === null ? `${name}: ${value}` : `${name}: ${(end - date) / 1000}`;
    }
    case 'content':
      return value === validator ? name : `${name}: ${value}`;
  }
}

/** Seconds: copies up to this age are equivalent. */
function maxEquivalentAge(hop: Hop, now: number): number {
  const { lifetime } = freshness(hop, now);
  return lifetime === 0 ? ANY_AGE : Math.min(lifetime ?? HOUR, HOUR);
}

/**
 * A document as it would be with another response of the same fingerprint, `later` milliseconds later: if it is judged
 * differently, the judgement depends on more than the fingerprint.
 * @param answer the 304 that confirmed it
 */
export function atLaterTime(facts: DocumentFacts, answer: Probe, now: number, later: number): DocumentFacts {
  const { web } = facts;
  const [last, fresh] = [isMissing(web) ? undefined : web.server.hops.at(-1), answer.hops.at(-1)];
  if (isMissing(web) || !last || !fresh) return facts;
  const headers = last.headers.map(([name, value]): [string, string] => {
    const kind = kindOf(name);
    if (kind === 'per-response') return [name, 'another'];
    if (kind === 'age') return [name, String(maxEquivalentAge(fresh, now))];
    const moment = kind === 'date' || kind === 'expires' ? httpDate(value) : null;
    const isFresh = fresh.headers.some((line) => line[0] === name && line[1] === value);
    return [name, moment === null || !isFresh ? value : new Date(moment + later).toUTCString()];
  });
  const hops = [...web.server.hops.slice(0, -1), { ...last, headers }];
  return { ...facts, web: { ...web, server: { ...web.server, hops } } };
}
