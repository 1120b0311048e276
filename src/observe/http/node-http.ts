import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { PooledConnection } from './pool.ts';
import { responseBodyOf, type ClientResponse } from './response.ts';

/** A request as undici takes it. */
interface ClientRequest {
  method: string;
  path: string;
  /** Alternating names and values. */
  headers: string[];
  signal: AbortSignal;
}

/**
 * A request by Node's own client over a separate connection, for hosts that send an unsolicited "100 Continue": it is
 * legal (RFC 9110, section 15.2), but undici aborts on it. Failures have undici's codes.
 */
export async function requestWithNodeHttp(
  pooled: PooledConnection,
  { headers, method, path, signal }: ClientRequest,
): Promise<ClientResponse> {
  const { origin, limits } = pooled.host;
  const { hostname, protocol, port, host } = new URL(origin);
  const socket = await new Promise<Socket>((resolve, reject) => {
    pooled.connect({ hostname, protocol, port }, (error, connected) => (error ? reject(error) : resolve(connected)));
  });
  let phase: 'HEADERS' | 'BODY' = 'HEADERS';
  socket.setTimeout(limits.headersTimeout, () =>
    socket.destroy(Object.assign(new Error('timeout'), { code: `UND_ERR_${phase}_TIMEOUT` })),
  );
  return new Promise((resolve, reject) => {
    pooled.host.window.write(pooled.sent);
    let hasContinue = false;
    request({ method, path, signal, headers: ['host', host, ...headers], createConnection: () => socket })
      .on('continue', () => {
        hasContinue = true;
      })
      .on('response', (response) => {
        const { statusCode = 0, rawHeaders } = response;
        phase = 'BODY';
        socket.setTimeout(limits.idleTimeout);
        resolve({ statusCode, headers: rawHeaders, body: responseBodyOf(response), hasContinue });
      })
      .on('upgrade', (_, upgraded) => {
        upgraded.destroy();
        reject(new Error('bad upgrade'));
      })
      .on('error', reject)
      .end();
  });
}
