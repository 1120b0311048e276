import { type Content, type Missing, type Probe, type Resource, type Hop, isMissing } from '../../core/facts/facts.ts';
import { blockedBy } from '../../core/facts/missing.ts';
import { mayBeRepeated } from '../../core/facts/repeated-probes.ts';
import { ruleOfFailure } from '../../core/http/failed-request.ts';
import { codings, header, headerLines, httpDate } from '../../core/http/headers.ts';
import { isAnswered, lastHop, notRequested, originOf, statusOf } from '../../core/http/probe.ts';
import { createDecoder, DECODED_TOO_LARGE, unknownCodings } from '../digest/decode.ts';
import { createDigester } from '../digest/digest.ts';
import { type Body, perAttempt } from '../http/body.ts';
import type { ObserveContext } from './context.ts';

/** Fetches a document or an icon completely. */

/** How a small resource is requested. */
interface FetchOptions {
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

// Revalidates what an earlier run observed (RFC 9110 section 13, RFC 9111 section 4.3).

const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** The headers of a conditional request for a resource; null if it has no usable validator. */
function revalidationHeaders({ web }: Resource): [string, string][] | null {
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
function confirmedProbe({ web }: Resource, probe: Probe): Probe | null {
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
