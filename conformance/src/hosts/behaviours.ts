import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as a fault host receives it. */
export interface FaultRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Number of the connection that it came over, from 1. */
  connection: number;
}

/** Responds to a request, byte by byte. */
export type Behaviour = (request: FaultRequest, socket: Socket) => void | Promise<void>;

// Behavior of a host for a request: correct responses, and every kind of broken one.

type HeaderList = readonly (readonly [string, string])[];

interface AnswerOptions {
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
  return (request, socket) => behaviours[Math.min(turn++, behaviours.length - 1)]?.(request, socket);
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
