import { realpath } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { isIPv6 } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { AppregError } from '../core/errors/error.ts';
import { parseUrl } from '../core/url/url.ts';
import { message } from '../core/text/message.ts';
import { printableExcerpt, safeExcerpt } from '../core/text/text.ts';
import { corsHeaders } from './conditions.ts';
import { encodedPath, openEtagCache } from './files.ts';
import { respond, textResponse, type FileResponse, type Site } from './respond.ts';

/** One request and its outcome, for the log. */
export interface Served {
  method: string;
  target: string;
  status: number;
  milliseconds: number;
  /**
   * The reason why the response was not sent completely: the client disconnected, the file changed, a bug;
   * otherwise null.
   */
  error: Error | null;
}

/** The request handler of a site. It never throws because of a client or the file system. */
function handler(
  site: Site,
  served: (line: Served) => void,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  return async (req, res) => {
    const began = performance.now();
    const { method = '', url: target = '' } = req;
    let error: Error | null;
    try {
      error = await serve(site, req, res);
    } catch (fault) {
      // The sent Content-Length cannot be fulfilled, so the connection is destroyed to signal the error.
      res.destroy();
      error = fault instanceof Error ? fault : new Error(String(fault));
    }
    served({ method, target, status: res.statusCode, milliseconds: performance.now() - began, error });
  };
}

/** Returns the server-side error if a response was sent nevertheless. */
async function serve(site: Site, req: IncomingMessage, res: ServerResponse): Promise<Error | null> {
  let fault: Error | null = null;
  const { method = '', url: target = '', headers } = req;
  const response = await respond(site, { method, target, headers }).catch((error: NodeJS.ErrnoException) => {
    fault = error;
    return refusal(error, corsHeaders(site.serviceOrigins, headers.origin));
  });
  try {
    await send(response, req, res);
  } finally {
    await response.release();
  }
  return fault;
}

function refusal(error: NodeJS.ErrnoException, headers: Record<string, string>): FileResponse {
  if (error.code === 'EACCES' || error.code === 'EPERM') return textResponse(403, 'The file cannot be read.', headers);
  if (error.code === 'EMFILE' || error.code === 'ENFILE') {
    return textResponse(503, 'Too many open files; try again.', { ...headers, 'Retry-After': '1' });
  }
  return textResponse(500, 'Internal error; see the log of the server.', headers);
}

async function send(response: FileResponse, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { status, headers, body } = response;
  // Do not wait for a request body that is not read.
  if (status === 405) headers['Connection'] = 'close';
  res.writeHead(status, headers);
  if (req.method === 'HEAD') {
    res.end();
  } else if (body instanceof Uint8Array) {
    res.end(body);
  } else {
    await pipeline(body, res);
  }
}

/** Options of `startServer`. */
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

/** A server that listens. */
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
    manifestUrl: url + encodedPath(options.manifest),
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
