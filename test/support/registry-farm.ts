import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { entry, tgz } from './tar-builder.ts';

/** Many small registries on one server, each at its own loopback address; they respond to conditional requests. */

export interface Farm {
  port: number;
  /** The manifest of the registry with this number. */
  url(registry: number): string;
  /** When each manifest was requested, in milliseconds, by registry. */
  requestTimes: number[][];
  /** Requests answered, and those of them with 304. */
  answered: { all: number; unchanged: number };
  /** Told of every request that is answered. */
  onRequest: ((request: { url: string; headers: Record<string, string> }) => void) | null;
  /** Lists one more version of each app. */
  grow(registry: number): void;
  /** Lists other bytes for version 1.0.0 of each app. */
  swap(registry: number): void;
  /** Digests as they were listed first, by `registry app version`. */
  first: Map<string, string>;
  close(): Promise<void>;
}

interface File {
  type: string;
  body: Buffer;
  tag: string;
}

const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>';

/** @param apps of each registry @param versions of each app, at the start */
export async function openFarm(registries: number, { apps = 2, versions = 2 } = {}): Promise<Farm> {
  const grown = Array.from({ length: registries }, () => ({ versions, swapped: false }));
  const pool = Array.from({ length: 16 }, (_, i) =>
    file('application/gzip', tgz(entry('app.js', `export const n = ${i};`))),
  );
  const icon = file('image/svg+xml', Buffer.from(ICON));
  const documents = new Map<string, File>();
  const farm: Farm = {
    port: 0,
    url: (registry) => `${base(registry)}/registry.json`,
    requestTimes: Array.from({ length: registries }, () => []),
    answered: { all: 0, unchanged: 0 },
    onRequest: null,
    grow: (registry) => change(registry, { versions: grown[registry]!.versions + 1 }),
    swap: (registry) => change(registry, { swapped: true }),
    first: new Map(),
    close: () => new Promise((done) => server.close(() => done()).closeAllConnections()),
  };

  const base = (registry: number): string => farmBase(farm.port, registry);

  function change(registry: number, what: Partial<(typeof grown)[number]>): void {
    Object.assign(grown[registry]!, what);
    for (let app = 0; app < apps; app++) documents.delete(`${registry}/${app}`);
  }

  function artifact(registry: number, app: number, version: number): File {
    const other = grown[registry]!.swapped && version === 0 ? 1 : 0;
    return pool[(registry + app * 3 + version + other) % pool.length]!;
  }

  function manifest(registry: number): unknown {
    const listed = Array.from({ length: apps }, (_, app) => [
      `app-${app}`,
      {
        name: `App ${app} of ${registry}`,
        description: `Does job number ${app}.`,
        blockStyle: { iconUrl: `${base(registry)}/icon.svg`, color: '#1a73e8' },
        appMetadataUrl: `${base(registry)}/${app}/versions.json`,
      },
    ]);
    return { apps: Object.fromEntries(listed) };
  }

  function metadata(registry: number, app: number): unknown {
    const list = Array.from({ length: grown[registry]!.versions }, (_, version) => {
      const digest = `sha256:${createHash('sha256')
        .update(artifact(registry, app, version).body)
        .digest('hex')}`;
      const name = `${registry} app-${app} 1.${version}.0`;
      if (!farm.first.has(name)) farm.first.set(name, digest);
      const path = `${app}/1.${version}.0.tar.gz`;
      return { version: `1.${version}.0`, artifactUrl: `${base(registry)}/${path}`, artifactChecksum: digest };
    });
    return { versions: list };
  }

  function find(registry: number, path: string): File | null {
    const [, app, name] = /^\/(?:(\d+)\/)?([\w.-]+)$/.exec(path) ?? [];
    if (name === 'icon.svg') return icon;
    const version = /^1\.(\d+)\.0\.tar\.gz$/.exec(name ?? '');
    if (version) return artifact(registry, Number(app), Number(version[1]));
    if (name !== 'registry.json' && name !== 'versions.json') return null;
    const key = name === 'registry.json' ? `${registry}` : `${registry}/${app}`;
    const existing = documents.get(key);
    if (existing) return existing;
    const content = app === undefined ? manifest(registry) : metadata(registry, Number(app));
    const made = file('application/json', Buffer.from(`${JSON.stringify(content)}\n`));
    documents.set(key, made);
    return made;
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const [, high, low] = /^127\.0\.(\d+)\.(\d+):/.exec(request.headers.host ?? '') ?? [];
    const registry = (Number(high) - 1) * 250 + Number(low) - 1;
    const path = (request.url ?? '').split('?')[0]!;
    const found = grown[registry] === undefined ? null : find(registry, path);
    farm.answered.all += 1;
    const { host, connection: _, ...headers } = request.headers as Record<string, string>;
    farm.onRequest?.({ url: `http://${host}${request.url}`, headers });
    if (path === '/registry.json') farm.requestTimes[registry]?.push(Date.now());
    response.setHeader('access-control-allow-origin', '*');
    if (found === null) return void response.writeHead(404).end();
    response.setHeader('etag', found.tag);
    response.setHeader('cache-control', 'max-age=60');
    if (request.headers['if-none-match'] === found.tag) {
      farm.answered.unchanged += 1;
      return void response.writeHead(304).end();
    }
    response.writeHead(200, { 'content-type': found.type, 'content-length': found.body.length });
    response.end(request.method === 'HEAD' ? undefined : found.body);
  }

  const server = createServer({ keepAliveTimeout: 30_000 }, answer);
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', 4_096, done));
  farm.port = (server.address() as AddressInfo).port;
  return farm;
}

/** 127.0.1.1 and so on: a host, and so a connection, for each. */
export function farmBase(port: number, registry: number): string {
  return `http://127.0.${1 + Math.floor(registry / 250)}.${1 + (registry % 250)}:${port}`;
}

function file(type: string, body: Buffer): File {
  return { type, body, tag: `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"` };
}
