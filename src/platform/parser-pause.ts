import type { Socket } from 'node:net';

/**
 * Prevents that the parser of a connection fails an assertion, which would end the process: when the connection ends, it
 * must not be paused (https://github.com/nodejs/undici/issues/5360; undici 8, which needs Node 22, has a correction).
 * To be called before the client handles the event.
 */
export function endParserPause(socket: Socket): void {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser: unknown = key && Reflect.get(socket, key);
  if (typeof parser === 'object' && parser !== null && 'paused' in parser) parser.paused = false;
}
