import { utimes, writeFile, mkdir } from 'node:fs/promises';
import { request, type IncomingHttpHeaders } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { startServer, type ServeOptions, type Serving } from '../../src/serve/server.ts';
import { afterFile } from '../support/cleanup.ts';

/** Writes files with an old date, so that caches and conditions rely on it. */
export async function fill(root: string, files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await utimes(path, LONG_AGO, LONG_AGO);
  }
}
export const LONG_AGO = new Date('2026-01-02T03:04:05.678Z');

/** Starts a server on a free port; it is closed after the tests of the file. */
export async function startTestServer(root: string, options: Partial<ServeOptions> = {}): Promise<Serving> {
  const server = await startServer({
    root,
    manifest: 'registry.json',
    host: '127.0.0.1',
    port: 0,
    serviceOrigins: [],
    rewriteFrom: null,
    https: false,
    ...options,
  });
  afterFile(() => server.close(0));
  return server;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** One request over a connection of its own; the path goes out as it is. */
export function sendRequest(
  url: string,
  options: { method?: string; path?: string; headers?: Record<string, string>; ca?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const start = url.startsWith('https:') ? requestTls : request;
    const { ca, ...rest } = options;
    const req = start(url, { agent: false, ...rest, ...(ca === undefined ? {} : { ca }) }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) }));
    });
    req.on('error', reject);
    req.end();
  });
}

/** Sends exactly these bytes and returns all that comes back, until the server closes the connection. */
export function raw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

/** A GET with this request target, as no client library would send it. */
export async function rawGet(port: number, target: string): Promise<{ status: number; text: string }> {
  const text = await raw(port, Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 'latin1'));
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]), text };
}
