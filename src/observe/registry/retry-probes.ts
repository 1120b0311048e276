import type { Probe } from '../../core/facts/facts.ts';
import { isTransportFailure, notRequested, statusOf } from '../../core/http/probe.ts';
import { isTimeout } from '../http/circuit-breaker.ts';
import type { HttpClient } from '../http/client.ts';
import type { ProbeRequest } from '../http/request.ts';

/** Repeats requests, so that one sample is not taken for the cause. */

/** Sends the request once. */
export function probeOnce(http: HttpClient, request: ProbeRequest): Promise<Probe> {
  return http.probe(request);
}

/** Sends such a request again, even if the host did not answer others of its kind. */
export function probeAgain(http: HttpClient, request: ProbeRequest): Promise<Probe> {
  return http.probe({ ...request, side: 'repeat' });
}

/**
 * Sends a request that accompanies a plain GET, with a bounded wait. It is sent again if the connection failed; one
 * that was not answered in time is confirmed by `repeat`.
 */
export async function probeSide(http: HttpClient, request: ProbeRequest): Promise<Probe> {
  const side = { ...request, side: 'first' } as const;
  const first = await http.probe(side);
  return isTimeout(first) ? first : twice(first, side, http);
}

/** Sends the request, and once more over a new connection if the connection failed and no attempt was repeated. */
export async function probeTwice(http: HttpClient, request: ProbeRequest): Promise<Probe> {
  return twice(await http.probe(request), request, http);
}

async function twice(first: Probe, request: ProbeRequest, http: HttpClient): Promise<Probe> {
  if (first.attempts > 1 || notRequested(first) !== null || !isTransportFailure(first)) return first;
  const second = await http.probe({ ...request, fresh: true });
  return notRequested(second) === null ? mergeAttempts(first, second) : first;
}

/** The later probe, with the attempts of the earlier one. */
export function mergeAttempts(first: Probe, second: Probe): Probe {
  const error = first.failure?.code ?? `status ${statusOf(first)}`;
  return {
    ...second,
    attempts: first.attempts + second.attempts,
    retryAfterMs: first.retryAfterMs + second.retryAfterMs,
    retriedErrors: [...(first.retriedErrors ?? []), error, ...(second.retriedErrors ?? [])],
  };
}
