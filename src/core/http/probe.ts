import { type Failure, type Hop, type HttpViews, isMissing, type Missing, type Probe } from '../facts/facts.ts';
import { contentCodings, DECODED_CODINGS } from './headers.ts';
import { isMachineLimit } from '../errors/machine-limit.ts';
import { urlParts } from '../url/url.ts';

/** The exchange that ended a probe: the response, or the one that failed (its status is 0 without a response). */
export function lastHop(probe: Probe): Hop | null {
  return probe.hops.at(-1) ?? null;
}

/** The last hop of a probe that was answered. @throws if there is none, which is an error in the caller */
export function finalHop(probe: Probe): Hop {
  const hop = lastHop(probe);
  if (hop === null) throw new Error('The probe has no hops');
  return hop;
}

/** The status that a probe ended with; 0 without one. */
export function statusOf(probe: Probe): number {
  return lastHop(probe)?.status ?? 0;
}

/** True if a host refused the credentials that the last request carried. */
export function areCredentialsRefused(probe: Probe): boolean {
  const last = lastHop(probe);
  return last?.withCredentials === true && probe.failure === null && (last.status === 401 || last.status === 403);
}

/** True when a probe ended with a complete 2xx response. */
export function isAnswered(probe: Probe): boolean {
  const status = statusOf(probe);
  return probe.failure === null && status >= 200 && status < 300;
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

/** Malformed and oversized heads, and responses that no client accepts: the host did respond. */
const ANSWERED_BADLY =
  /^(HPE_(?!INVALID_EOF_STATE$).*|HEADERS_OVERFLOW|HTTP2_ALONE|UPGRADE|UNSOLICITED_PARTIAL|NO_CONTENT)$/;

/**
 * True for a probe that failed because of the network or the connection (a reset, a timeout, a certificate, 408 Request
 * Timeout): it says nothing about the host's response to such a request.
 */
export function isTransportFailure(probe: Probe): boolean {
  const { failure } = probe;
  if (failure === null) return statusOf(probe) === 408;
  switch (failure.phase) {
    case 'dns':
    case 'proxy':
    case 'connect':
    case 'tls':
    case 'time':
      return true;
    case 'headers':
    case 'body':
      return !ANSWERED_BADLY.test(failure.code);
    default:
      return false;
  }
}

/** The reason why a probe was not made or not completed, if it is not the host's; null otherwise. */
export function notRequested({ failure }: Probe): Missing | null {
  if (failure?.code === 'INTERRUPTED') return { missing: { code: 'interrupted' } };
  const limit = machineLimitOf(failure);
  if (limit !== null) return limit;
  return failure?.phase === 'not-sent'
    ? { missing: { code: 'host-failing', host: hostOf(failure.url), message: failure.message } }
    : null;
}

/** A missing probe whose request this machine could not send; null for other failures. */
export function machineLimitOf(failure: Failure | null): Missing | null {
  return failure?.phase === 'not-sent' && isMachineLimit(failure.code)
    ? { missing: { code: 'machine-limit', failure: failure.code } }
    : null;
}

/** True for the code of a failure of the parser: the response is not valid HTTP, and was not merely cut off. */
export function isInvalidHttp(code: string): boolean {
  return /^(?:HPE_(?!INVALID_EOF_STATE$)|HEADERS_OVERFLOW$)/.test(code);
}

/**
 * The later probe, with the attempts of the earlier one.
 * @param error of the earlier one
 */
export function mergeAttempts(first: Probe, second: Probe, error: string = errorOf(first)): Probe {
  return {
    ...second,
    attempts: first.attempts + second.attempts,
    retryAfterMs: first.retryAfterMs + second.retryAfterMs,
    retriedErrors: [...(first.retriedErrors ?? []), error, ...(second.retriedErrors ?? [])],
  };
}

function errorOf(probe: Probe): string {
  return probe.failure?.code ?? `status ${statusOf(probe)}`;
}

/** The proxy of a probe, as a phrase to append; '' for a direct request. */
export function overProxy(probe: Probe): string {
  const { proxy } = lastHop(probe) ?? {};
  return proxy ? ` through the proxy ${proxy.url === '' ? '' : `${proxy.url} `}(${proxy.variable})` : '';
}

/** The origin of a requested URL as the parser serializes it, without credentials. */
export function originOf(url: string): string {
  const path = url.indexOf('/', 'https://'.length);
  return path === -1 ? url : url.slice(0, path);
}

/** The host of a URL for a sentence: without a default port. */
export function hostOf(url: string): string {
  return urlParts(url)?.host ?? url;
}

/** The host of a URL without its port, and an IPv6 address without brackets, as in DNS and certificates. */
export function hostnameOf(url: string): string {
  return (urlParts(url)?.hostname ?? url).replace(/^\[(.*)\]$/, '$1');
}

/**
 * The reason why clients do not decode compressed bytes, as a clause that continues a sentence; null if the
 * response has none that they do not decode.
 */
export function whyUndecoded(web: HttpViews | Missing): string | null {
  const hop = isMissing(web) ? null : lastHop(web.server);
  const list = hop === null ? [] : contentCodings(hop.headers);
  if (list.every((coding) => DECODED_CODINGS.has(coding))) return null;
  return list.includes('identity')
    ? `its Content-Encoding (${list.join(', ')}) combines identity with another coding, so browsers and Node.js decode nothing`
    : `its Content-Encoding (${list.join(', ')}) is not supported by browsers and Node.js`;
}
