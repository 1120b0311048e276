import { request } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientResponse, bodyOf } from './response.ts';
import type { PooledConnection } from './pool.ts';

/** A request as undici takes it. */
interface Asked {
  method: string;
  path: string;
  headers: string[];
  signal: AbortSignal;
}

/**
 * A request by Node's own client over a separate connection, for hosts that send an unsolicited "100 Continue": it is
 * legal (RFC 9110, section 15.2), but undici aborts on it. Failures have undici's codes.
 */
export async function requestWithNodeHttp(
  pooled: PooledConnection,
  { headers, method, path, signal }: Asked,
): Promise<ClientResponse> {
  const { origin, limits } = pooled.host;
  const { hostname, protocol, port, host } = new URL(origin);
  const socket = await new Promise<Socket>((resolve, reject) => {
    pooled.connect({ hostname, protocol, port }, (error, made) => (error ? reject(error) : resolve(made)));
  });
  const pairs = { host } as Record<string, string>;
  for (let i = 0; i < headers.length; i += 2) pairs[headers[i]!] = headers[i + 1]!;
  let phase: 'HEADERS' | 'BODY' = 'HEADERS';
  socket.setTimeout(limits.headersTimeout, () =>
    socket.destroy(Object.assign(new Error('timeout'), { code: `UND_ERR_${phase}_TIMEOUT` })),
  );
  return new Promise((resolve, reject) => {
    pooled.host.window.write(pooled.sent);
    let continued = false;
    request({ method, path, signal, headers: pairs, createConnection: () => socket })
      .on('continue', () => {
        continued = true;
      })
      .on('response', (answer) => {
        phase = 'BODY';
        socket.setTimeout(limits.idleTimeout);
        resolve({ statusCode: answer.statusCode!, headers: answer.rawHeaders, body: bodyOf(answer), continued });
      })
      .on('upgrade', (_, other) => {
        other.destroy();
        reject(new Error('bad upgrade'));
      })
      .on('error', reject)
      .end();
  });
}
