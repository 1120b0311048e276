import type { Probe } from '../../core/facts/facts.ts';
import { isAnswered, isInvalidHttp, lastHop } from '../../core/http/probe.ts';

/** Icons whose responses are not valid HTTP: browsers show many of them, and Node.js refuses them. */

/** True if Node.js refuses the response because it is not valid HTTP. */
export function isRefusedResponse({ failure }: Probe): boolean {
  return failure !== null && isInvalidHttp(failure.code);
}

/**
 * The response as browsers read it, if they accept it; otherwise that of the strict reading.
 * @param strict refused by Node.js
 */
export function asBrowsersRead(strict: Probe, tolerant: Probe): Probe {
  const last = lastHop(tolerant);
  if (last === null || !isAnswered(tolerant)) return strict;
  return { ...tolerant, hops: [...tolerant.hops.slice(0, -1), { ...last, refusedByNode: strict.failure?.code ?? '' }] };
}
