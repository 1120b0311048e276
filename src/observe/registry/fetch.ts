import type { Content, Missing, Probe, Resource } from '../../core/facts/facts.ts';
import { codings } from '../../core/http/headers.ts';
import { isAnswered, lastHop, originOf } from '../../core/http/probe.ts';
import { ruleOfFailure } from '../../core/http/failure-rule.ts';
import { createDecoder, DECODED_TOO_LARGE, unknownCodings } from '../digest/decode.ts';
import { createDigester } from '../digest/digest.ts';
import { type Body, perAttempt } from '../http/body.ts';
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
    instant: true,
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
