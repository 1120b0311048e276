import { createServer } from 'node:net';

/** Below the ports that the system gives to servers with port 0 and to connections: a server of another test may start first. */
const FIRST = 20_000;
const LAST = 31_999;

/** A port of 127.0.0.1 for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
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
