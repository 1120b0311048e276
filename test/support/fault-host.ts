import { createHash } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A host that does wrong on purpose: behaviours by path, written byte by byte, and every request recorded. */

export interface FaultRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Number of the connection that it came over, from 1. */
  connection: number;
}
export type Behaviour = (request: FaultRequest, socket: Socket) => void | Promise<void>;

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

/** What a host with limits does. */
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
      paths.get(request.path.split('?')[0]!) ??
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

type HeaderList = readonly (readonly [string, string])[];

export interface AnswerOptions {
  status?: number;
  headers?: Record<string, string> | HeaderList;
  body?: string | Uint8Array;
  /** Instead of the true length; null for none, so that the end of the connection ends the body. */
  length?: number | null;
  close?: boolean;
}

/** A well-formed answer. HEAD and 204/304 get no body. */
export function answer({
  status = 200,
  headers = {},
  body = '',
  length,
  close = false,
}: AnswerOptions = {}): Behaviour {
  const bytes = Buffer.from(body);
  const list = Array.isArray(headers) ? (headers as HeaderList) : Object.entries(headers as Record<string, string>);
  return ({ method }, socket) => {
    const lines = [`HTTP/1.1 ${status} Whatever`, ...list.map(([name, value]) => `${name}: ${value}`)];
    if (length !== null && status !== 204 && status !== 304) lines.push(`Content-Length: ${length ?? bytes.length}`);
    if (close || length === null) lines.push('Connection: close');
    socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    if (method !== 'HEAD' && status !== 204 && status !== 304) socket.write(bytes);
    if (close || length === null) socket.end();
  };
}

/** JSON with the headers that a correct registry host sends. */
export function json(value: unknown, headers: Record<string, string> = {}): Behaviour {
  return byMethod({
    GET: answer({
      headers: { ...GOOD_JSON, ...headers },
      body: typeof value === 'string' ? value : JSON.stringify(value),
    }),
  });
}

/** A file with an entity tag: 304 to clients that have it. Other methods receive correct responses. */
export function tagged(body: string | Uint8Array, headers: Record<string, string> = {}, tag = tagOf(body)): Behaviour {
  const all = { ...GOOD_JSON, ETag: tag, Date: new Date().toUTCString(), ...headers };
  return byMethod({
    GET: (request, socket) =>
      answer(request.headers['if-none-match'] === tag ? { status: 304, headers: all } : { headers: all, body })(
        request,
        socket,
      ),
  });
}

function tagOf(body: string | Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
}

export const CORS: Record<string, string> = { 'Access-Control-Allow-Origin': '*' };
export const GOOD_JSON: Record<string, string> = {
  'Content-Type': 'application/json',
  'Cache-Control': 'public, max-age=300',
  ...CORS,
};

/** By default, a correct response to OPTIONS, and for HEAD that of GET. */
export function byMethod(behaviours: { GET: Behaviour; HEAD?: Behaviour; OPTIONS?: Behaviour }): Behaviour {
  const preflight =
    behaviours.OPTIONS ??
    answer({
      status: 204,
      headers: { ...CORS, 'Access-Control-Allow-Methods': 'GET, HEAD', 'Access-Control-Allow-Headers': '*' },
    });
  return (request, socket) => {
    if (request.method === 'OPTIONS') return preflight(request, socket);
    return (request.method === 'HEAD' ? (behaviours.HEAD ?? behaviours.GET) : behaviours.GET)(request, socket);
  };
}

export function redirect(location: string | null, status = 302, headers: Record<string, string> = {}): Behaviour {
  return answer({ status, headers: { ...headers, ...(location === null ? {} : { Location: location }) } });
}

/** One behaviour after another; the last one stays. */
export function inTurn(...behaviours: Behaviour[]): Behaviour {
  let turn = 0;
  return (request, socket) => behaviours[Math.min(turn++, behaviours.length - 1)]!(request, socket);
}

/** Bytes as they are, without framing. */
export function raw(text: string | Uint8Array, then: 'keep' | 'end' | 'reset' = 'end'): Behaviour {
  return (_, socket) =>
    new Promise((resolve) => {
      socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text, () => {
        if (then === 'end') socket.end();
        if (then === 'reset') abort(socket);
        resolve();
      });
    });
}

export function reset(): Behaviour {
  return (_, socket) => abort(socket);
}

/** A TLS connection cannot be reset from here, but it can break off without its closing message. */
function abort(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Never responds; the connection stays open. */
export function silent(): Behaviour {
  return () => {};
}

/** Announces a number of bytes, sends fewer, and closes the connection. */
export function cutShort(
  announced: number,
  body: string | Uint8Array,
  then: 'end' | 'reset' | 'keep' = 'end',
  headers = '',
): Behaviour {
  return raw(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\n${headers}Content-Length: ${announced}\r\n\r\n`),
      Buffer.from(body),
    ]),
    then,
  );
}

/** Sends body bytes for ever (until the visitor leaves). */
export function endless(headers = '', chunk = Buffer.alloc(65_536, 0x20)): Behaviour {
  return (_, socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${headers}Connection: close\r\n\r\n`);
    function more(): void {
      while (!socket.destroyed && socket.write(chunk));
      if (!socket.destroyed) socket.once('drain', more);
    }
    more();
  };
}

/** The same, a little later: lets requests pile up, so that their number can be seen. */
export function delayed(milliseconds: number, behaviour: Behaviour): Behaviour {
  return async (request, socket) => {
    await sleep(milliseconds);
    await behaviour(request, socket);
  };
}
