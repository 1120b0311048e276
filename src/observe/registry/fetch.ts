import {
  type Content,
  type HeaderGroup,
  type HeaderProbe,
  type Missing,
  type Probe,
  type ResourceKind,
} from '../../core/facts/facts.ts';
import { blockedBy } from '../../core/facts/missing.ts';
import { ruleOfFailure } from '../../core/http/failed-request.ts';
import { codings } from '../../core/http/headers.ts';
import {
  isAnswered,
  isTransportFailure,
  lastHop,
  mergeAttempts,
  notRequested,
  originOf,
} from '../../core/http/probe.ts';
import { createDecoder, DECODED_TOO_LARGE, unknownCodings } from '../digest/decode.ts';
import { createDigester } from '../digest/digest.ts';
import { isTimeout } from '../http/circuit-breaker.ts';
import { type Body, perAttempt } from '../http/body.ts';
import type { HttpClient } from '../http/client.ts';
import type { ProbeRequest } from '../http/request.ts';
import type { ObserveContext } from './context.ts';
import { readCopy, type Reference } from './copy.ts';
import { ALL_GROUPS, type RequestShape } from '../http/request-shape.ts';

/** How a resource is requested: completely, as a server-side client does, or beside that, as a browser does. */

/** How a small resource is requested. */
export interface FetchOptions {
  accept: string;
  /** Maximum number of bytes read, as sent and decoded. */
  limit: number;
  /** See `ProbeRequest`. */
  optional?: boolean;
}

/** A response with its body: `content` as sent, `bytes` decoded. */
export interface FetchedResource {
  probe: Probe;
  content: Content;
  /** The first bytes as sent, more than `content` has of them. */
  start: Buffer;
  bytes: Buffer;
}

/** Fetches a resource, and again if the host reports it missing. */
export function fetchResource(
  url: string,
  options: FetchOptions,
  context: ObserveContext,
  headers: readonly [string, string][] = [],
): Promise<FetchedResource> {
  const { accept } = options;
  return context.state.missingFiles.confirm({
    kind: accept,
    fetch: (fresh) => fetchOnce({ url, headers, fresh }, options, context),
    fetchStatus: () => fetchStatus(url, accept, context),
  });
}

/** Requests only the status, over a new connection. */
export function fetchStatus(
  url: string,
  accept: string,
  { http, timeouts }: ObserveContext,
  headers: [string, string][] = [],
): Promise<Probe> {
  return http.probe({ method: 'GET', url, origin: null, accept, headers, fresh: true, total: timeouts.small });
}

/** Why a resource could not be observed; null if it was answered. */
export function reasonMissing(probe: Probe): Missing | null {
  const stopped = notRequested(probe);
  if (stopped) return stopped;
  const rule = ruleOfFailure(probe);
  return rule === null ? null : blockedBy(rule);
}

/** Remembers the certificates of the hosts that answered. */
export function noteCertificates({ hops }: Probe, { state }: ObserveContext): void {
  for (const { url, tls } of hops) if (tls) state.certificates.set(originOf(url), tls);
}

/** Fetches a resource with one request. */
export async function fetchOnce(
  { url, headers, fresh }: { url: string; headers: readonly [string, string][]; fresh: boolean },
  { accept, limit, optional = false }: FetchOptions,
  context: ObserveContext,
): Promise<FetchedResource> {
  const reader = perAttempt((hop) => {
    context.onBody(hop);
    return openReading(codings(hop.headers), limit, context.onBytes);
  });
  const probe = await context.http.probe({
    method: 'GET',
    url,
    origin: null,
    accept,
    headers,
    fresh,
    optional,
    total: context.timeouts.small,
    body: reader.body,
  });
  noteCertificates(probe, context);
  const { content, start, bytes, coding, error } = await (
    reader.last() ?? openReading([], limit, context.onBytes)
  ).end();
  if (error === DECODED_TOO_LARGE) return { probe, content: { ...content, cut: true }, start, bytes };
  const last = lastHop(probe);
  if (error !== null && last && probe.failure === null && isAnswered(probe) && !content.cut) {
    probe.failure = {
      phase: 'decode',
      code: error,
      message: `${coding}: ${error}`,
      url: last.url,
      got: content.bytes,
      expected: null,
    };
  }
  return { probe, content, start, bytes };
}

/** The body of one attempt. */
interface Reading extends Body {
  /** `error`: why it could not be decoded, or null. */
  end(): Promise<Omit<FetchedResource, 'probe'> & { coding: string; error: string | null }>;
}

export function openReading(applied: readonly string[], limit: number, onBytes: (count: number) => void): Reading {
  const chunks: Uint8Array[] = [];
  const keep = (chunk: Uint8Array): void => void chunks.push(Buffer.from(chunk));
  // A coding that cannot be decoded is ignored, as browsers ignore unknown codings.
  const isDecoded = applied.length > 0 && unknownCodings(applied).length === 0;
  const decoder = isDecoded ? createDecoder(applied, limit, keep) : null;
  const digester = createDigester(limit);
  return {
    limit,
    over: 'cut',
    write(chunk) {
      onBytes(chunk.length);
      digester.write(chunk);
      return decoder ? decoder.write(chunk) : keep(chunk);
    },
    async end() {
      const content = digester.end();
      const error = decoder ? await decoder.end() : null;
      return { content, start: digester.start, bytes: Buffer.concat(chunks), coding: applied.join(', '), error };
    },
  };
}

// Requests that accompany those of a server-side client.

/** Sends the request once. */
export function sendOnce(http: HttpClient, request: ProbeRequest): Promise<Probe> {
  return http.probe(request);
}

/** Sends such a request again, even if the host did not answer others of its kind. */
export function sendRegardless(http: HttpClient, request: ProbeRequest): Promise<Probe> {
  return http.probe({ ...request, side: 'repeat' });
}

/**
 * Sends a request that accompanies a plain GET, with a bounded wait. It is sent again if the connection failed; one
 * that was not answered in time is confirmed by `repeat`.
 */
export async function sendAccompanying(http: HttpClient, request: ProbeRequest): Promise<Probe> {
  const side = { ...request, side: 'first' } as const;
  const first = await http.probe(side);
  return isTimeout(first) ? first : twice(first, side, http);
}

/** Sends the request, and once more over a new connection if the connection failed and no attempt was repeated. */
async function sendTwice(http: HttpClient, request: ProbeRequest): Promise<Probe> {
  return twice(await http.probe(request), request, http);
}

async function twice(first: Probe, request: ProbeRequest, http: HttpClient): Promise<Probe> {
  if (first.attempts > 1 || notRequested(first) !== null || !isTransportFailure(first)) return first;
  const second = await http.probe({ ...request, fresh: true });
  return notRequested(second) === null ? mergeAttempts(first, second) : first;
}

/** A GET that reads and compares the body if there is a reference. */
export interface BrowserGet {
  url: string;
  kind: ResourceKind;
  page: string;
  like: HeaderProbe['like'];
  accept: string;
  /** Artifacts are requested with a range of one byte. */
  headers: readonly (readonly [string, string])[];
  /** The kind of resource and its hosts. */
  key: string;
  reference: Reference | null;
  limit: number;
  /** Accept-Encoding, if it differs from a browser's. */
  encoding?: string;
}

/** @param send sends the request */
export async function getAsBrowser(
  { url, page, like, accept, headers, reference, limit, kind, encoding }: BrowserGet,
  groups: readonly HeaderGroup[],
  { http, timeouts }: ObserveContext,
  send = sendTwice,
): Promise<Probe> {
  const shape: RequestShape = {
    page,
    mode: like === 'fetch' ? 'cors' : 'no-cors',
    destination: kind === 'icon' ? 'image' : 'empty',
    groups,
    ...(encoding === undefined ? {} : { encoding }),
  };
  const reader = reference && perAttempt(({ headers: sent }) => readCopy(codings(sent), reference, limit));
  const probe = await send(http, {
    method: 'GET',
    url,
    origin: like === 'fetch' && groups.includes('origin') ? page : null,
    accept,
    shape,
    headers,
    total: timeouts.small,
    ...(reader && { body: reader.body }),
  });
  const copy = probe.failure === null ? reader?.last()?.end() : undefined;
  return copy === undefined ? probe : { ...probe, copy };
}

/** The header groups of a browser's request for this: ranges are requested uncompressed. */
export function groupsOf({ kind }: BrowserGet): readonly HeaderGroup[] {
  return kind === 'artifact' ? ALL_GROUPS.filter((group) => group !== 'encoding') : ALL_GROUPS;
}
