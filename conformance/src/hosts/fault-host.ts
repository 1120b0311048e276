import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, type Behaviour, type FaultRequest } from './behaviours.ts';

/** A host that does wrong on purpose: behaviours by path, written byte by byte, and every request recorded. */

export interface FaultHost {
  origin: string;
  port: number;
  requests: FaultRequest[];
  /** The most requests that were in flight at one moment. */
  peak: number;
  /** The behaviour of a path; a query string is part of the path only if it is given here. */
  on(path: string, behaviour: Behaviour): string;
  /** Requests to a path, by method. */
  requestsFor(path: string, method?: string): FaultRequest[];
  close(): Promise<void>;
}

export interface FaultHostOptions {
  /** Serve https with these (key, cert, minVersion, requestCert …). */
  tls?: TlsOptions;
  /** Instead of speaking HTTP: what to do with each connection. */
  onConnection?: (socket: Socket) => void;
  host?: string;
  /** A free one by default. */
  port?: number;
  limits?: Limits;
}

/** Limits of a host, and its behavior beyond them. */
export interface Limits {
  /** Requests that it answers at once; further ones get `refusal`. */
  requests?: number;
  refusal?: Behaviour;
  /** Connections that it keeps; further ones are reset. */
  connections?: number;
  /** Milliseconds that each answer takes. */
  delay: number;
}

export async function openFaultHost(options: FaultHostOptions = {}): Promise<FaultHost> {
  const paths = new Map<string, Behaviour>();
  const sockets = new Set<Socket>();
  let connections = 0;
  let inFlight = 0;

  function serve(socket: Socket): void {
    connections += 1;
    const connection = connections;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    if (options.onConnection) return options.onConnection(socket);
    let text = '';
    let queue = Promise.resolve();
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      // A TLS client would wait forever for a server without TLS.
      if (text.startsWith('\x16')) return void socket.destroy();
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const request = parse(text.slice(0, end), connection);
        text = text.slice(end + 4);
        host.requests.push(request);
        queue = queue.then(() => run(request, socket));
      }
    });
  }

  async function run(request: FaultRequest, socket: Socket): Promise<void> {
    inFlight += 1;
    host.peak = Math.max(host.peak, inFlight);
    const { limits } = options;
    const isRefused = inFlight > (limits?.requests ?? Infinity);
    if (limits && !isRefused) await sleep(limits.delay);
    const behaviour =
      (isRefused ? limits?.refusal : undefined) ??
      paths.get(request.path) ??
      paths.get(request.path.replace(/\?.*$/, '')) ??
      answer({ status: 404, body: 'no such file' });
    await behaviour(request, socket);
    inFlight -= 1;
  }

  const server: Server = options.tls ? createTlsServer(options.tls, serve) : createServer(serve);
  server.on('tlsClientError', () => {});
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
    if (open > (options.limits?.connections ?? Infinity)) socket.resetAndDestroy();
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const name = options.host?.includes(':') ? `[${options.host}]` : 'localhost';
  const origin = `${options.tls ? 'https' : 'http'}://${options.host ? name : '127.0.0.1'}:${port}`;
  const host: FaultHost = {
    origin,
    port,
    requests: [],
    peak: 0,
    on(path, behaviour) {
      paths.set(path, behaviour);
      return origin + path;
    },
    requestsFor: (path, method) =>
      host.requests.filter((r) => r.path === path && (method === undefined || r.method === method)),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return host;
}

function parse(head: string, connection: number): FaultRequest {
  const [first = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim();
  }
  return { method, path, headers, connection };
}
