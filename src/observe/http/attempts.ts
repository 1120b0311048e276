import type { Probe } from '../../core/facts/facts.ts';
import { isTransportFailure, mergeAttempts, notRequested } from '../../core/http/probe.ts';
import { isTimeout } from './circuit-breaker.ts';
import type { HttpClient } from './client.ts';
import type { ProbeRequest } from './request.ts';

/**
 * The attempts of a request beside the plain GET of a resource. `once`: one time. `reconnect`: again over a new
 * connection if the connection failed. `bounded`: the same, but no longer than plain GETs of its host suggest; one that
 * was not answered in time is not sent again. `repeat`: one time, even if the host did not answer others of its kind.
 */
export type Attempts = 'once' | 'reconnect' | 'bounded' | 'repeat';

const SIDE = { once: {}, reconnect: {}, bounded: { side: 'first' }, repeat: { side: 'repeat' } } as const;

/** Sends a request beside the plain GET of a resource. */
export async function sendBeside(http: HttpClient, request: ProbeRequest, attempts: Attempts): Promise<Probe> {
  const sent: ProbeRequest = { ...request, ...SIDE[attempts] };
  const first = await http.probe(sent);
  const mayReconnect = attempts === 'reconnect' || (attempts === 'bounded' && !isTimeout(first));
  if (!mayReconnect || first.attempts > 1 || notRequested(first) !== null || !isTransportFailure(first)) return first;
  const second = await http.probe({ ...sent, fresh: true });
  return notRequested(second) === null ? mergeAttempts(first, second) : first;
}
