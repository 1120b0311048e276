import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openEtagCache } from '../../../src/serve/files.ts';
import { type FileRequest, respond, type Site } from '../../../src/serve/respond.ts';

/** A host that serves a tree as `appreg serve` does, except for one fault. */

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface Exchange extends FileRequest {
  /** The path of the request, without its query. */
  path: string;
  /** A request header; '' if it was not sent. */
  header(name: string): string;
  /** The number of requests in flight for this path, with this one. */
  inFlight: number;
  /** The correct response, to this request or to a changed one. */
  correct(changed?: Partial<FileRequest>): Promise<Answer>;
}

export type Fault = (exchange: Exchange) => Promise<Answer> | Answer;

export interface FaultyHost {
  url: string;
  close(): Promise<void>;
}

/** @param fault replaced by each test */
export async function openFaultyHost(root: string, fault: () => Fault): Promise<FaultyHost> {
  const site: Site = {
    root,
    manifest: 'registry.json',
    serviceOrigins: [],
    rewriteFrom: null,
    hidden: new Set(),
    started: 0,
    address: () => 'http://127.0.0.1/',
    etag: openEtagCache(),
  };
  const open = new Map<string, number>();
  const server: Server = createServer((incoming, outgoing) => {
    const { method = '', url: target = '', headers } = incoming;
    const path = target.replace(/\?.*/, '');
    const request = { method, target, headers };
    const inFlight = (open.get(path) ?? 0) + 1;
    open.set(path, inFlight);
    const exchange: Exchange = {
      ...request,
      path,
      header: (name) => String(headers[name] ?? ''),
      inFlight,
      correct: (changed = {}) => answerOf(site, { ...request, ...changed }),
    };
    // Requests that are sent at once are in flight at once.
    setImmediate(async () => {
      const answer = await fault()(exchange);
      open.set(path, (open.get(path) ?? 1) - 1);
      outgoing.writeHead(answer.status, answer.headers);
      outgoing.end(method === 'HEAD' ? undefined : answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answerOf(site: Site, request: FileRequest): Promise<Answer> {
  const { status, headers, body, release } = await respond(site, request);
  const chunks: Uint8Array[] = [];
  try {
    if (body instanceof Uint8Array) chunks.push(body);
    else for await (const chunk of body) chunks.push(Buffer.from(chunk));
  } finally {
    await release();
  }
  return { status, headers, body: Buffer.concat(chunks) };
}
