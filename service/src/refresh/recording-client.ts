import { companionState, comparableUrl, hasNoErrors, type Hop, type Probe, statusOf } from 'appreg';
import { type BodyReader, type HttpClient, isConfirmedBy, type ProbeRequest } from 'appreg/node';
import { type Hash, createHash } from 'node:crypto';

/**
 * Records the requests of a refresh: whether all responses were "not modified", and which responses were prefetched.
 */

/** A document that its host confirmed as unchanged. */
export interface ConfirmedDocument {
  url: string;
  accept: string;
  condition: readonly [name: string, value: string];
  probe: Probe;
  /** The optional file beside it; absent if it was not requested. */
  beside?: OptionalFile;
}

/** A file that its host need not have. */
export interface OptionalFile {
  url: string;
  condition: readonly [name: string, value: string] | null;
  /** See `watchOptional`. */
  result: string;
}

export interface RecordingClient {
  /** Sends a request, unless it was prefetched. */
  http: HttpClient;
  /**
   * Prefetches a response for the following refresh.
   * @returns with the result of an optional request
   */
  prefetch(request: RequestWithBody): Promise<{ probe: Probe; result: string | null }>;
  /** The confirmed documents, by URL as written by `comparableUrl`; null once any other request or response occurred. */
  confirmed(): ReadonlyMap<string, ConfirmedDocument> | null;
  /** The optional files that were requested, in the same way. */
  optional(): ReadonlyMap<string, OptionalFile>;
}

export type RequestWithBody = ProbeRequest & Required<Pick<ProbeRequest, 'body'>>;

interface Prefetched {
  request: ProbeRequest;
  probe: Probe;
  body: ReceivedBody;
}

interface ReceivedBody {
  /** The response of the last attempt that had a body; null if there was none. */
  hop: Hop | null;
  chunks: Uint8Array[];
}

export function openRecordingClient(http: HttpClient): RecordingClient {
  const prefetched = new Map<string, Prefetched>();
  const optional = new Map<string, OptionalFile>();
  let confirmed: Map<string, ConfirmedDocument> | null = new Map();

  function recordOptional({ url, headers = [] }: ProbeRequest, result: string | null): void {
    const key = comparableUrl(url);
    const [condition = null, ...others] = headers;
    if (result === null || others.length > 0 || optional.has(key)) confirmed = null;
    else optional.set(key, { url, condition, result });
  }

  function record(request: ProbeRequest, probe: Probe): Probe {
    const document = confirmedDocument(request, probe);
    const key = comparableUrl(request.url);
    if (document === null || confirmed?.get(key)) confirmed = null;
    else confirmed?.set(key, document);
    return probe;
  }

  /** Sends a request, unless it was prefetched. */
  async function send(request: ProbeRequest): Promise<Probe> {
    const known = prefetched.get(request.url);
    if (!known || visibleParts(known.request) !== visibleParts(request)) return http.probe(request);
    prefetched.delete(request.url);
    await replay(known.body, request);
    return known.probe;
  }

  return {
    http: {
      async probe(given) {
        const watch = given.optional === true ? watchOptional(given) : null;
        const request = watch?.request ?? given;
        const probe = await send(request);
        if (watch === null) return record(request, probe);
        recordOptional(request, watch.result(probe));
        return probe;
      },
      hosts: () => http.hosts(),
      machineLimit: () => http.machineLimit(),
      interrupt: () => http.interrupt(),
      close: () => http.close(),
    },
    async prefetch(given) {
      const watch = watchOptional(given);
      const { request } = watch;
      const body: ReceivedBody = { hop: null, chunks: [] };
      const probe = await http.probe({
        ...request,
        body(hop) {
          body.hop = hop;
          body.chunks = [];
          const watched = request.body(hop);
          return {
            ...watched,
            write(chunk) {
              body.chunks.push(chunk.slice());
              return watched.write(chunk);
            },
          };
        },
      });
      prefetched.set(request.url, { request: given, probe, body });
      return { probe, result: given.optional === true ? watch.result(probe) : null };
    },
    confirmed: () => confirmed,
    optional: () => optional,
  };
}

/** Everything that the host sees of a request. */
function visibleParts({ method, url, origin, accept, headers = [] }: ProbeRequest): string {
  return JSON.stringify([method, url, origin, accept, headers]);
}

async function replay({ hop, chunks }: ReceivedBody, request: ProbeRequest): Promise<void> {
  if (hop === null) return;
  const body = request.body?.(hop);
  for (const chunk of chunks) await body?.write(chunk);
}

/** @returns null unless the request has one condition, and the response confirms it */
function confirmedDocument(request: ProbeRequest, probe: Probe): ConfirmedDocument | null {
  const { method, url, accept, origin, headers = [] } = request;
  const [condition, ...others] = headers;
  if (method !== 'GET' || origin !== null || condition === undefined || others.length > 0) return null;
  return condition[0].startsWith('if-') && isUnchanged(probe) ? { url, accept, condition, probe } : null;
}

/** True for a 304 on the first attempt, without failed addresses, an unsolicited 100 (Continue) or a proxy. */
export function isUnchanged(probe: Probe): boolean {
  return (
    probe.hops.at(-1)?.status === 304 &&
    hasNoErrors(probe) &&
    probe.hops.every((hop) => !hop.failedAddresses && !hop.unsolicitedContinue && !hop.proxy)
  );
}

/**
 * The result of a request for a file that its host need not have. How the file is served is not judged, so that two
 * responses with the same result are judged alike.
 */

interface OptionalWatch<Request extends ProbeRequest> {
  /** The same request, which also observes the body. */
  request: Request & Required<Pick<ProbeRequest, 'body'>>;
  /**
   * `unchanged`, `absent`, or the SHA-256 of the body as sent; null if the host does not say whether it has the file, or
   * if there was an error.
   */
  result(probe: Probe): string | null;
}

/** Observes the response to a request for an optional file. */
function watchOptional<Request extends ProbeRequest>(given: Request): OptionalWatch<Request> {
  let received: { hash: Hash; head: Buffer } | null = null;

  function body(hop: Hop): BodyReader {
    const inner = given.body?.(hop) ?? NOTHING_READ;
    const current = { hash: createHash('sha256'), head: Buffer.alloc(0) };
    received = current;
    return {
      ...inner,
      write(chunk) {
        current.hash.update(chunk);
        if (current.head.length < HEAD) current.head = Buffer.concat([current.head, chunk]).subarray(0, HEAD);
        return inner.write(chunk);
      },
    };
  }

  return {
    request: { ...given, body },
    result(probe) {
      const [condition] = given.headers ?? [];
      if (!hasNoErrors(probe)) return null;
      if (condition !== undefined && isConfirmedBy(probe, condition)) return 'unchanged';
      const head = received?.head ?? new Uint8Array();
      const state = companionState({ status: statusOf(probe), head });
      if (state !== 'present') return state === 'absent' ? 'absent' : null;
      return received?.hash.copy().digest('hex') ?? null;
    },
  };
}

/** Bytes that tell a web page from a file. */
const HEAD = 512;
const NOTHING_READ: BodyReader = { limit: 0, over: 'cut', write: () => {} };
