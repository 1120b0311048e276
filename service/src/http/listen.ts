import { AppregError, message } from 'appreg';
import { createAdaptorServer } from '@hono/node-server';
import { type Settings } from '../config/settings.ts';
import { listeningPort } from '../config/listening-port.ts';
import { Server, type IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';

/** Milliseconds for running requests to complete. */
const CLOSE_TIMEOUT = 10_000;

/** In milliseconds. */
interface ConnectionTimeouts {
  /** For all headers of a request, from the start of the connection or from its first byte. */
  headers: number;
  /** For the whole request. */
  request: number;
  /** Without a byte in either direction: the client does not read the response. */
  inactive: number;
  /** For the whole response, however slowly it is read. */
  response: number;
  /** Between two requests. */
  keepAlive: number;
  /** Between two checks of the first two. */
  check: number;
}

const TIMEOUTS: ConnectionTimeouts = {
  headers: 15_000,
  request: 60_000,
  inactive: 120_000,
  response: 3_600_000,
  // Longer than the usual 60 seconds of proxies, so that the proxy closes idle connections first.
  keepAlive: 65_000,
  check: 2_000,
};

type FetchCallback = Parameters<typeof createAdaptorServer>[0]['fetch'];

/** Starts the HTTP server. `close` accepts no new requests, and waits for running ones until a deadline. */
export async function listen(
  { host, port }: Pick<Settings, 'host' | 'port'>,
  fetch: FetchCallback,
  timeouts = TIMEOUTS,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = openServer(fetch, timeouts);
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(port, host, done);
  }).catch((error: NodeJS.ErrnoException) => {
    throw new AppregError(
      'listen-failed',
      message`Cannot listen on ${host} port ${port}: ${error.code ?? error.message}`,
      error.code === 'EADDRINUSE'
        ? message`Another program uses the port. Use another one; --port 0 picks a free port.`
        : message`Check --host and --port.`,
      { cause: error },
    );
  });
  return { url: urlOf(host, listeningPort(server)), close: () => close(server) };
}

function openServer(fetch: FetchCallback, timeouts: ConnectionTimeouts): Server {
  // By default, Node checks for late requests only every 30 seconds.
  const serverOptions = { connectionsCheckingInterval: timeouts.check };
  const server = createAdaptorServer({ fetch, serverOptions });
  // Without options for HTTP/2 it is one of HTTP/1.1.
  if (!(server instanceof Server)) throw new Error('The adaptor did not return an HTTP/1.1 server.');
  server.headersTimeout = timeouts.headers;
  server.requestTimeout = timeouts.request;
  server.keepAliveTimeout = timeouts.keepAlive;
  limitConnections(server);
  server.setTimeout(timeouts.inactive);
  server.on('request', (request, response) => {
    const late = setTimeout(() => request.socket.destroy(), timeouts.response).unref();
    response.once('close', () => clearTimeout(late));
  });
  return server;
}

/** 0.0.0.0 or :: listens on all addresses, but browsers cannot connect to it. */
function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}/`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}/`;
}

async function close(server: Server): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT);
  await new Promise((done) => {
    server.close(done);
    server.closeIdleConnections();
  });
  clearTimeout(late);
}

/** Connections at a time, of which each needs a file descriptor; the rest of the process needs some as well. */
const CONNECTIONS = 5_000;

/**
 * Limits the connections of a server. At the limit, a new one is accepted, and the oldest one without a complete request
 * is closed for it: clients that open connections and send nothing, or half of a request, do not keep out others. If all
 * requests are complete, the oldest one whose client does not read the response is closed; if there is none, the new one.
 */
function limitConnections(server: Server, limit = connectionLimit()): void {
  /** In the order of their last response, or else of their start; with the request that is being received or answered. */
  const connections = new Map<Socket, IncomingMessage | null>();
  server.on('connection', (socket) => {
    if (connections.size >= limit) closeOne(connections, socket);
    if (socket.destroyed) return;
    connections.set(socket, null);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    if (connections.has(socket)) connections.set(socket, request);
    response.once('close', () => {
      if (connections.delete(socket) && !socket.destroyed) connections.set(socket, null);
    });
  });
}

function closeOne(connections: Map<Socket, IncomingMessage | null>, latest: Socket): void {
  const closed = firstOf(connections, isIncomplete) ?? firstOf(connections, isUnread) ?? latest;
  connections.delete(closed);
  closed.destroy();
}

type Condition = (socket: Socket, request: IncomingMessage | null) => boolean;

const isIncomplete: Condition = (_, request) => request?.complete !== true;
const isUnread: Condition = (socket) => socket.writableLength > 0;

function firstOf(connections: Map<Socket, IncomingMessage | null>, condition: Condition): Socket | null {
  for (const [socket, request] of connections) if (condition(socket, request)) return socket;
  return null;
}

/** Half of the file descriptors that the process may open, if the system says how many. */
function connectionLimit(): number {
  try {
    const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return files === undefined ? CONNECTIONS : Math.min(CONNECTIONS, Math.floor(Number(files) / 2));
  } catch {
    // Only Linux has this file.
    return CONNECTIONS;
  }
}
