import type { Probe } from '../../../core/facts/facts.ts';
import { sameAddress } from '../../../core/http/url.ts';
import type { ProbeRequest, HttpClient } from '../../../observe/http/client.ts';
import { hasNoErrors } from '../../../observe/registry/cache/revalidate.ts';

/**
 * Records the requests of a refresh: whether all responses were "not modified", and which responses were prefetched.
 */

/** A document that its host confirmed as unchanged. */
export interface Confirmed {
  url: string;
  accept: string;
  condition: readonly [name: string, value: string];
  visit: Probe;
}

export interface RecordingClient {
  /** Sends a request, unless it was prefetched. */
  http: HttpClient;
  /** Prefetches a response for the following refresh. */
  ahead(ask: ProbeRequest): Promise<Probe>;
  /** The confirmed documents, by URL as written by `sameAddress`; null once any other request or response occurred. */
  confirmed(): ReadonlyMap<string, Confirmed> | null;
}

interface Answer {
  ask: ProbeRequest;
  visit: Probe;
  hop: Probe['hops'][number] | null;
  chunks: Uint8Array[];
}

export function openRecordingClient(http: HttpClient): RecordingClient {
  const answers = new Map<string, Answer>();
  let confirmed: Map<string, Confirmed> | null = new Map();

  function note(ask: ProbeRequest, visit: Probe): Probe {
    const one = confirmedBy(ask, visit);
    const address = sameAddress(ask.url);
    if (one === null || confirmed?.get(address)) confirmed = null;
    else confirmed?.set(address, one);
    return visit;
  }

  return {
    http: {
      async probe(ask) {
        const known = answers.get(ask.url);
        if (!known || wordsOf(known.ask) !== wordsOf(ask)) return note(ask, await http.probe(ask));
        answers.delete(ask.url);
        await replay(known, ask);
        return note(ask, known.visit);
      },
      hosts: () => http.hosts(),
      close: () => http.close(),
    },
    async ahead(ask) {
      const answer: Answer = { ask, visit: null!, hop: null, chunks: [] };
      answer.visit = await http.probe({
        ...ask,
        body(hop) {
          Object.assign(answer, { hop, chunks: [] });
          const body = ask.body!(hop);
          return { ...body, write: (chunk) => void answer.chunks.push(chunk.slice()) };
        },
      });
      answers.set(ask.url, answer);
      return answer.visit;
    },
    confirmed: () => confirmed,
  };
}

/** Everything that the host sees of a request. */
function wordsOf({ method, url, origin, accept, headers = [] }: ProbeRequest): string {
  return JSON.stringify([method, url, origin, accept, headers]);
}

async function replay({ hop, chunks }: Answer, ask: ProbeRequest): Promise<void> {
  if (hop === null) return;
  const body = ask.body?.(hop);
  for (const chunk of chunks) await body?.write(chunk);
}

function confirmedBy({ method, url, accept, origin, headers = [] }: ProbeRequest, visit: Probe): Confirmed | null {
  const [condition, ...more] = headers;
  const isConditional = method === 'GET' && origin === null && condition?.[0].startsWith('if-') && more.length === 0;
  return isConditional && isUnchanged(visit) ? { url, accept, condition: condition!, visit } : null;
}

/** True for a 304 on the first attempt, without failed addresses, an unsolicited 100 (Continue) or a proxy. */
export function isUnchanged(visit: Probe): boolean {
  return (
    visit.hops.at(-1)?.status === 304 &&
    hasNoErrors(visit) &&
    visit.hops.every(
      ({ failedAddresses: vain, unsolicitedContinue: continued, proxy }) => !vain && !continued && !proxy,
    )
  );
}
