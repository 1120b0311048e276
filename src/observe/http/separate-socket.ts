import type { Socket } from 'node:net';
import type { PooledConnection } from './pool.ts';

/** Opens a connection beside that of undici: for the responses of one request that undici does not read. */
export function openSeparateSocket(pooled: PooledConnection): Promise<Socket> {
  const { hostname, protocol, port } = new URL(pooled.host.origin);
  return new Promise((resolve, reject) => {
    pooled.connect({ hostname, protocol, port }, (error, connected) => (error ? reject(error) : resolve(connected)));
  });
}
