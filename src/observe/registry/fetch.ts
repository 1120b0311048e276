import type { Missing, Probe } from '../../core/facts/facts.ts';
import { blockedBy } from '../../core/facts/missing.ts';
import { ruleOfFailure } from '../../core/http/failed-request.ts';
import { contentCodings } from '../../core/http/headers.ts';
import { isAnswered, lastHop, notRequested } from '../../core/http/probe.ts';
import { DECODED_TOO_LARGE } from '../digest/decode.ts';
import { perAttempt } from '../http/body.ts';
import { openReading, type ReadBody } from '../http/read-body.ts';
import type { ObserveContext } from './context.ts';

/** Requests resources completely, as a server-side client does. */

const MISSHAPEN: Missing = blockedBy('schema-violation');

const MALFORMED: Missing = blockedBy('url-malformed');

/** @param url null if the document has no string in its place */
export function reasonNotRequestable(url: string | null): Missing {
  return url === null ? MISSHAPEN : MALFORMED;
}

/** The request for a small resource. */
export interface FetchOptions {
  accept: string;
  /** Maximum number of bytes read, as sent and decoded. */
  limit: number;
  /** See `ProbeRequest`. */
  optional?: boolean;
  /** True if the response is read as browsers read it; its content is then decoded by the caller. */
  tolerant?: boolean;
}

/** A response with its body. */
export interface FetchedResource extends ReadBody {
  probe: Probe;
}

/** Fetches a resource, and again if the host reports it missing. */
export function fetchResource(
  url: string,
  options: FetchOptions,
  context: ObserveContext,
  headers: readonly [string, string][] = [],
): Promise<FetchedResource> {
  const { accept } = options;
  return context.hosts.missingFiles.confirm({
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

/** The reason why a resource could not be observed; null if it was answered. */
export function reasonMissing(probe: Probe): Missing | null {
  const stopped = notRequested(probe);
  if (stopped) return stopped;
  const rule = ruleOfFailure(probe);
  return rule === null ? null : blockedBy(rule);
}

/** Fetches a resource with one request. */
export async function fetchOnce(
  { url, headers, fresh }: { url: string; headers: readonly [string, string][]; fresh: boolean },
  { accept, limit, optional = false, tolerant = false }: FetchOptions,
  context: ObserveContext,
): Promise<FetchedResource> {
  const reader = perAttempt((hop) => {
    context.onBody(hop);
    return openReading(tolerant ? [] : contentCodings(hop.headers), limit, context.onBytes);
  });
  const probe = await context.http.probe({
    method: 'GET',
    url,
    origin: null,
    accept,
    headers,
    fresh,
    optional,
    tolerant,
    total: context.timeouts.small,
    body: reader.body,
  });
  context.hosts.noteCertificates(probe);
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
