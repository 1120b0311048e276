import { createServer, request, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';

/** A forward proxy: CONNECT for https, whole URLs for http; names are its own matter. */

export interface FaultProxy {
  port: number;
  url: string;
  /** `CONNECT host:port` and `GET http://…`, in the order they came. */
  requests: string[];
  /** The headers of each of them. */
  headers: IncomingMessage['headers'][];
  /** Answers everything with this status (0: closes the connection, -1: sends nothing) instead of connecting. */
  refuse: number | null;
  close(): Promise<void>;
}

export interface FaultProxyOptions {
  /** The `user:password` that it requires. */
  login?: string;
  tls?: TlsOptions;
  /** The host to which it connects, regardless of the requested name. */
  to: string;
}

export async function openFaultProxy({ login, tls, to }: FaultProxyOptions): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const server = tls ? createTlsServer(tls) : createServer();
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });

  function note(incoming: IncomingMessage): number | null {
    proxy.requests.push(`${incoming.method} ${incoming.url}`);
    proxy.headers.push(incoming.headers);
    const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
    if (wanted !== undefined && incoming.headers['proxy-authorization'] !== wanted) return 407;
    return proxy.refuse;
  }

  server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const status = note(incoming);
    if (status === -1) return;
    if (status === 0) return void socket.destroy();
    if (status !== null) return void socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    const there = connect(Number(incoming.url!.split(':').at(-1)), to, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.write(head);
      there.pipe(socket);
      socket.pipe(there);
    });
    sockets.add(there);
    there.on('error', () => socket.destroy()).on('close', () => (sockets.delete(there), socket.destroy()));
    socket.on('close', () => there.destroy());
  });
  server.on('request', (incoming, answer) => {
    const status = note(incoming);
    if (status === -1) return;
    if (status === 0) return void answer.destroy();
    if (status !== null) return void answer.writeHead(status).end('no');
    const { port, pathname, search } = new URL(incoming.url!);
    const headers = { ...incoming.headers };
    delete headers['proxy-authorization'];
    const there = request({ host: to, port, path: pathname + search, method: incoming.method, headers }, (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(answer);
    });
    there.on('error', () => answer.writeHead(502).end());
    incoming.pipe(there);
  });

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: FaultProxy = {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests: [],
    headers: [],
    refuse: null,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
