import type { Content, Hop, Missing, Probe, Resource } from '../../core/facts/facts.ts';
import { codings } from '../../core/http/headers.ts';
import { isAnswered, lastHop, originOf } from '../../core/http/probe.ts';
import { ruleOfFailure } from '../../core/http/failure-rule.ts';
import { createDecoder, DECODED_TOO_LARGE, type Decoder, unknownCodings } from '../digest/decode.ts';
import { createDigester, type Digester } from '../digest/digest.ts';
import type { Body } from '../http/body.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { revalidationHeaders, confirmedProbe, isCausedByCondition } from './cache/revalidate.ts';
import type { ObserveContext } from './context.ts';
import { blockedBy } from '../../core/facts/missing.ts';

/** Fetches a document or an icon completely. */

/** How a small resource is requested. */
export interface FetchOptions {
  accept: string;
  /** Maximum number of bytes read, as sent and decoded. */
  limit: number;
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

async function fetchOnce(
  { url, headers, fresh }: { url: string; headers: readonly [string, string][]; fresh: boolean },
  { accept, limit }: FetchOptions,
  context: ObserveContext,
): Promise<FetchedResource> {
  const reader = createBodyReader(limit, context);
  const probe = await context.http.probe({
    method: 'GET',
    url,
    origin: null,
    accept,
    headers,
    fresh,
    total: context.timeouts.small,
    body: (hop) => reader.body(hop),
  });
  noteCertificates(probe, context);
  const { content, start, bytes, coding, error } = await reader.end();
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

interface BodyReader {
  /** For `ProbeRequest.body`; each attempt starts over. */
  body(hop: Hop): Body;
  /** The body of the last attempt; empty if none was read. `error`: why it could not be decoded, or null. */
  end(): Promise<Omit<FetchedResource, 'probe'> & { coding: string; error: string | null }>;
}

/** The body of one attempt. */
interface Reading {
  coding: string;
  digester: Digester;
  decoder: Decoder | null;
  chunks: Uint8Array[];
}

function createBodyReader(limit: number, context: ObserveContext): BodyReader {
  let current = openReading([], limit);
  return {
    body(hop) {
      context.onBody(hop);
      const reading = openReading(codings(hop.headers), limit);
      current = reading;
      const { digester, decoder, chunks } = reading;
      return {
        limit,
        over: 'cut',
        instant: true,
        write(chunk) {
          context.onBytes(chunk.length);
          digester.write(chunk);
          if (decoder) return decoder.write(chunk);
          chunks.push(Buffer.from(chunk));
        },
      };
    },
    async end() {
      const { coding, digester, decoder, chunks } = current;
      const content = digester.end();
      const error = decoder ? await decoder.end() : null;
      return { content, start: digester.start, bytes: Buffer.concat(chunks), coding, error };
    },
  };
}

function openReading(applied: readonly string[], limit: number): Reading {
  const chunks: Uint8Array[] = [];
  // A coding that cannot be decoded is ignored, as browsers ignore unknown codings.
  const isDecoded = applied.length > 0 && unknownCodings(applied).length === 0;
  return {
    coding: applied.join(', '),
    digester: createDigester(limit),
    decoder: isDecoded ? createDecoder(applied, limit, (chunk) => void chunks.push(Buffer.from(chunk))) : null,
    chunks,
  };
}
