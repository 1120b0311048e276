import { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { printable } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import type { Settings } from '../config/settings.ts';
import { listeningPort } from '../listening-port.ts';

/** Milliseconds for running requests to complete. */
const CLOSE_TIMEOUT = 10_000;

type FetchCallback = Parameters<typeof createAdaptorServer>[0]['fetch'];

/** Starts the HTTP server. `close` accepts no new requests, and waits for running ones until a deadline. */
export async function listen(
  { host, port }: Pick<Settings, 'host' | 'port'>,
  fetch: FetchCallback,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createAdaptorServer({ fetch });
  // Without options for HTTP/2 it is one of HTTP/1.1.
  if (!(server instanceof Server)) throw new Error('The adaptor returned a server of another protocol.');
  server.headersTimeout = 15_000;
  server.requestTimeout = 60_000;
  // Longer than the usual 60 seconds of proxies, so that the proxy closes idle connections first.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(port, host, done);
  }).catch((error: NodeJS.ErrnoException) => {
    throw new AppregError(
      'listen-failed',
      `Cannot listen on ${printable(host)} port ${port}: ${error.code ?? error.message}`,
      error.code === 'EADDRINUSE'
        ? 'Another program uses it. Use another port; --port 0 selects a free one.'
        : 'Check --host and --port.',
      { cause: error },
    );
  });
  return { url: urlOf(host, listeningPort(server)), close: () => close(server) };
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
