import { message } from '../core/text/message.ts';
import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { realpath } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { printableExcerpt, safeExcerpt } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { parseUrl } from '../core/http/url.ts';
import { openEtagCache } from './files.ts';
import { handler, type Served } from './handler.ts';

export interface ServeOptions {
  /** The workspace's folder. */
  root: string;
  /** The manifest's path within it, with forward slashes. */
  manifest: string;
  /** Address or name to listen on. */
  host: string;
  /** 0 selects a free port. */
  port: number;
  /** Origins that browsers may send requests from; empty: any. */
  serviceOrigins: readonly string[];
  /** The base URL in the workspace's JSON files to replace with the address served on; null: nothing is rewritten. */
  rewriteFrom: string | null;
  /** Key and certificate chain (PEM), or false for plain HTTP. */
  https: false | { key: string; cert: string };
  /** Files in the workspace that are never served, in addition to private names: absolute paths. */
  hidden?: readonly string[];
  onRequest?: (line: Served) => void;
}

export interface Serving {
  /** The URL of the workspace's folder, with a trailing slash. */
  url: string;
  manifestUrl: string;
  port: number;
  /** Accepts no more connections, waits `grace` milliseconds for responses in progress, then aborts them. */
  close(grace?: number): Promise<void>;
}

/**
 * Serves a workspace as a registry host should (spec 4.1, 5, 8). Resolves once it listens.
 * Throws AppregError otherwise: `port-in-use`, `port-forbidden`, `address-unavailable`.
 */
export async function startServer(options: ServeOptions): Promise<Serving> {
  const scheme = options.https ? 'https' : 'http';
  if (parseUrl(addressOf(scheme, options.host, 1)) === null) throw hostUnknown(options.host);
  const root = await realpath(options.root);
  const hidden = new Set(await Promise.all((options.hidden ?? []).map((file) => realpath(file))));
  let url = '';
  const site = {
    root,
    hidden,
    manifest: options.manifest,
    serviceOrigins: options.serviceOrigins,
    rewriteFrom: options.rewriteFrom,
    started: Date.now(),
    address: (host: string | undefined) => addressFor(url, isAnyAddress(options.host) ? host : undefined),
    etag: openEtagCache(),
  };
  const listener = handler(site, options.onRequest ?? (() => {}));
  // Milliseconds: enough for slow clients, but limits idle connections.
  const limits = { headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 5000 };
  const server = options.https ? createHttps({ ...limits, ...options.https }, listener) : createHttp(limits, listener);
  server.setTimeout(120_000);
  await listen(server, options.host, options.port);
  // A connection that cannot be accepted (EMFILE) is logged and does not end the server.
  server.on('error', (error) =>
    options.onRequest?.({ method: 'accept', target: '', status: 0, milliseconds: 0, error }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  const { port } = address;
  url = new URL(addressOf(scheme, options.host, port)).href;
  return {
    url,
    manifestUrl: new URL(encodeURI(options.manifest), url).href,
    port,
    close: (grace = 2000) => close(server, grace),
  };
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The URL to print: IPv6 in brackets, and a name for this machine if the server listens on all addresses. */
function addressOf(scheme: string, host: string, port: number): string {
  if (isAnyAddress(host)) return `${scheme}://localhost:${port}/`;
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}/`;
}

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * When listening on all addresses, the client's Host is used: behind a forwarded port only the client knows the
 * address.
 */
function addressFor(url: string, host: string | undefined): string {
  if (host === undefined || !HOST.test(host)) return url;
  return parseUrl(`${new URL(url).protocol}//${host}/`)?.href ?? url;
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen({ host, port }, resolve);
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const shown = printableExcerpt(host);
  switch (error.code) {
    case 'EADDRINUSE':
      return new AppregError(
        'port-in-use',
        message`Port ${port} on ${shown} is in use by another program.`,
        message`Choose another port, or use --port 0 for any free one.`,
        { cause: error },
      );
    case 'EACCES':
      return new AppregError(
        'port-forbidden',
        message`Port ${port} cannot be used: permission denied.`,
        message`Choose a port above 1023, or use --port 0 for any free one.`,
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return hostUnknown(host, error);
    default:
      return error;
  }
}

function hostUnknown(host: string, cause?: Error): AppregError {
  return new AppregError(
    'address-unavailable',
    message`“${safeExcerpt(host)}” is not an address of this machine.`,
    message`Use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for all of its networks.`,
    { cause },
  );
}

async function close(server: Server, grace: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), grace);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}
