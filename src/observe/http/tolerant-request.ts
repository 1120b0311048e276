import { Readable } from 'node:stream';
import type { PooledConnection } from './pool.ts';
import { type ClientResponse, responseBodyOf } from './response.ts';
import { openSeparateSocket } from './separate-socket.ts';
import { readTolerantly } from './tolerant-response.ts';

/** Sends one request over a connection of its own, and reads the response as browsers do. */

interface TolerantRequest {
  method: string;
  path: string;
  /** Alternating names and values. */
  headers: readonly string[];
  signal: AbortSignal;
}

/** Maximum number of bytes of a response, which is read as a whole. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Rejects if browsers refuse the response as well, with the code `HPE_REFUSED`. */
export async function requestTolerantly(
  pooled: PooledConnection,
  { method, path, headers, signal }: TolerantRequest,
): Promise<ClientResponse> {
  const { origin, limits } = pooled.host;
  const socket = await openSeparateSocket(pooled);
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? `${name}: ${headers[i + 1] ?? ''}` : []));
  const head = [`${method} ${path} HTTP/1.1`, `host: ${new URL(origin).host}`, 'connection: close', ...lines, '', ''];
  const chunks: Buffer[] = [];
  let bytes = 0;
  const abort = (): void => void socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener('abort', abort);
  try {
    socket.setTimeout(Math.min(limits.headersTimeout, limits.idleTimeout), () =>
      socket.destroy(Object.assign(new Error('timeout'), { code: 'UND_ERR_BODY_TIMEOUT' })),
    );
    pooled.host.queue.write(pooled.sent);
    socket.write(Buffer.from(head.join('\r\n'), 'latin1'));
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) break;
      const response = readTolerantly(Buffer.concat(chunks), method, false);
      if (response !== null) return responseOf(response);
    }
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
  const response = readTolerantly(Buffer.concat(chunks), method, true);
  if (response === null)
    throw Object.assign(new Error('browsers refuse the response as well'), { code: 'HPE_REFUSED' });
  return responseOf(response);
}

function responseOf({ statusCode, headers, body }: NonNullable<ReturnType<typeof readTolerantly>>): ClientResponse {
  return {
    statusCode,
    headers,
    body: responseBodyOf(Readable.from(body.length > 0 ? [body] : [])),
    hasContinue: false,
  };
}
