import { createServer } from 'node:net';

/** Below the ports that the system gives to servers with port 0 and to connections: a server of another test may start first. */
const FIRST = 20_000;
const LAST = 31_999;

/** Each process has ports of its own: another one could choose the same port before the program listens. */
let next = FIRST + (process.pid % 1000) * 12;

/** A port of 127.0.0.1 for a program that cannot choose one itself: another one in each call. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = next === LAST ? FIRST : next + 1;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
