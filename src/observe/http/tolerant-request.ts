import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { PooledConnection } from './pool.ts';
import { type ClientResponse, responseBodyOf } from './response.ts';
import { openSeparateSocket } from './separate-socket.ts';
import { readTolerantly, type TolerantResponse } from './tolerant-response.ts';

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
/** Milliseconds. */
const READ_INTERVAL = 10;

/** Rejects if browsers refuse the response as well, with the code `HPE_REFUSED`. */
export async function requestTolerantly(
  pooled: PooledConnection,
  { method, path, headers, signal }: TolerantRequest,
): Promise<ClientResponse> {
  const { origin, limits } = pooled.host;
  const socket = await openSeparateSocket(pooled);
  const lines = headers.flatMap((name, i) => (i % 2 === 0 ? `${name}: ${headers[i + 1] ?? ''}` : []));
  const head = [`${method} ${path} HTTP/1.1`, `host: ${new URL(origin).host}`, 'connection: close', ...lines, '', ''];
  const abort = (): void => void socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener('abort', abort);
  try {
    socket.setTimeout(Math.min(limits.headersTimeout, limits.idleTimeout), () =>
      socket.destroy(Object.assign(new Error('timeout'), { code: 'UND_ERR_BODY_TIMEOUT' })),
    );
    pooled.host.queue.write(pooled.sent);
    socket.write(Buffer.from(head.join('\r\n'), 'latin1'));
    return responseOf(await received(socket, method));
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** Receives the response. The bytes so far are read at intervals, since a host may send them one by one. */
function received(socket: Socket, method: string): Promise<TolerantResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let timer: NodeJS.Timeout | null = null;
    const read = (isEnded: boolean): void => {
      timer = null;
      const response = readTolerantly(Buffer.concat(chunks), method, isEnded);
      if (response !== null) resolve(response);
      else if (isEnded)
        reject(Object.assign(new Error('browsers refuse the response as well'), { code: 'HPE_REFUSED' }));
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) socket.destroy();
      else timer ??= setTimeout(read, READ_INTERVAL, false);
    });
    socket.once('error', reject);
    socket.once('close', () => {
      if (timer !== null) clearTimeout(timer);
      read(true);
    });
  });
}

function responseOf({ statusCode, headers, body }: TolerantResponse): ClientResponse {
  return {
    statusCode,
    headers,
    body: responseBodyOf(Readable.from(body.length > 0 ? [body] : [])),
    hasContinue: false,
  };
}
