import type { Probe } from '../../core/facts/facts.ts';
import { isTransportFailure, mergeAttempts, notRequested } from '../../core/http/probe.ts';
import { isTimeout } from './circuit-breaker.ts';
import type { HttpClient } from './client.ts';
import type { ProbeRequest } from './request.ts';

/** Sends requests that accompany those of a server-side client. */

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
export async function sendTwice(http: HttpClient, request: ProbeRequest): Promise<Probe> {
  return twice(await http.probe(request), request, http);
}

async function twice(first: Probe, request: ProbeRequest, http: HttpClient): Promise<Probe> {
  if (first.attempts > 1 || notRequested(first) !== null || !isTransportFailure(first)) return first;
  const second = await http.probe({ ...request, fresh: true });
  return notRequested(second) === null ? mergeAttempts(first, second) : first;
}
