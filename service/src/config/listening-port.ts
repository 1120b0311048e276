import { type Server } from 'node:net';

/** The TCP port of a server that is listening. */
export function listeningPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a TCP port.');
  return address.port;
}
