import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections at a time, of which each needs a file descriptor; the rest of the process needs some as well. */
const CONNECTIONS = 5_000;

/**
 * Limits the connections of a server. At the limit, a new one is accepted, and the oldest one without a complete request
 * is closed for it: clients that open connections and send nothing, or half of a request, do not keep out others. If all
 * requests are complete, the oldest one whose client does not read the response is closed; if there is none, the new one.
 */
export function limitConnections(server: Server, limit = connectionLimit()): void {
  /** In the order of their last response, or else of their start; with the request that is being received or answered. */
  const connections = new Map<Socket, IncomingMessage | null>();
  server.on('connection', (socket) => {
    if (connections.size >= limit) close(connections, socket);
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

function close(connections: Map<Socket, IncomingMessage | null>, latest: Socket): void {
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
