import { afterAll, beforeEach } from 'vitest';
import type { Hop, Probe } from '../../../src/core/facts/facts.ts';
import { type HttpOptions, openHttpClient } from '../../../src/observe/http/client.ts';
import type { ProbeRequest } from '../../../src/observe/http/request.ts';
import { type FaultHost, openFaultHost } from '../../support/fault-host.ts';

/** Two hosts, and a client with short timeouts. */

/** To be called once at the top of a test file. */
export async function openHosts(): Promise<{ host: FaultHost; other: FaultHost }> {
  const [host, other] = [await openFaultHost(), await openFaultHost()];
  afterAll(() => Promise.all([host.close(), other.close()]));
  beforeEach(() => {
    host.requests.length = 0;
    other.requests.length = 0;
    host.peak = 0;
  });
  return { host, other };
}

/** Repeats requests without a delay. A host that responds does so in time, also on a busy machine. */
export const QUICK: HttpOptions = { backoff: () => 1, headersTimeout: 5000, idleTimeout: 5000, connectTimeout: 5000 };

/** A probe, and the bytes that came with it. */
export async function probe(
  url: string,
  request: Partial<ProbeRequest> = {},
  options: HttpOptions = {},
): Promise<{ seen: Probe; body: string; last: Hop }> {
  const http = openHttpClient({ ...QUICK, ...options });
  let chunks: Uint8Array[] = [];
  const seen = await http.probe({
    method: 'GET',
    url,
    origin: null,
    accept: '*/*',
    total: 20_000,
    body: () => {
      chunks = [];
      return { limit: 1_000_000, over: 'fail', write: (chunk) => void chunks.push(chunk.slice()) };
    },
    ...request,
  });
  await http.close();
  return { seen, body: Buffer.concat(chunks).toString(), last: seen.hops.at(-1)! };
}
