import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOSTILE_ARCHIVES } from './hostile-content.ts';
import { startNode } from './service-node.ts';
import { entry, tgz } from './tar-builder.ts';

/** A node that checks hostile artifacts of one organization, while another one uses the service. */

export interface HostileRun {
  /** Milliseconds of each response to the other organization and to probes, by path. */
  responses: Record<string, number[]>;
  /** The statuses of the probes. */
  probes: number[];
  /** The states of the hostile versions, by the name of the archive. */
  states: Record<string, string>;
  /** Milliseconds until the other organization’s new registry was verified, while hostile artifacts were checked. */
  verifiedAfter: number;
  /** The names of the events that the node logged. */
  logged: Set<string>;
}

export interface HostileLoadOptions {
  /** Of content per archive. */
  megabytes: number;
  /** The registries of the hostile organization; each lists all archives. */
  registries: number;
  /** Milliseconds for all checks. */
  timeout: number;
}

const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>';
const OPERATOR = 'operator-token-of-this-test-0123456789';

/** @param main dist/node/main.cjs @param databaseUrl of an empty database */
export async function runHostileLoad(
  main: string,
  databaseUrl: string,
  { megabytes, registries, timeout }: HostileLoadOptions,
): Promise<HostileRun> {
  const archives = [
    ...HOSTILE_ARCHIVES.map(({ name, build }) => ({ name, bytes: build(megabytes) })),
    { name: 'honest', bytes: tgz(entry('app.js', 'export const n = 1;')) },
  ];
  const host = await openHost(archives.map(({ bytes }) => bytes));
  const env = { DATABASE_URL: databaseUrl, OPERATOR_TOKEN: OPERATOR };
  const node = startNode(main, ['--allow-host', 'localhost'], { env });
  try {
    const base = await node.ready;
    const [hostile, other] = [await organization(base, 'hostile'), await organization(base, 'other')];
    const run: HostileRun = { responses: {}, probes: [], states: {}, verifiedAfter: 0, logged: new Set() };
    const honest = archives.length - 1;
    await subscribed(base, other, host.url('first', [honest]), timeout);
    const all = archives.map((_, i) => i).slice(0, honest);
    const checked = Promise.all(
      Array.from({ length: registries }, (_, i) => subscribed(base, hostile, host.url(`hostile-${i}`, all), timeout)),
    );
    const measuring = measure(base, other, run);
    await sleep(500);
    const started = performance.now();
    await subscribed(base, other, host.url('second', [honest]), timeout);
    run.verifiedAfter = performance.now() - started;
    for (const versions of await checked)
      for (const [app, state] of Object.entries(versions)) {
        const name = archives[Number(app.slice(4))]?.name ?? app;
        run.states[name] = state;
      }
    await measuring.stop();
    for (const [, event = ''] of node.stderr().matchAll(/"event":"([^"]+)"/g)) run.logged.add(event);
    return run;
  } finally {
    node.child.kill('SIGTERM');
    await node.ended;
    host.close();
  }
}

/** Sends requests of another organization, and those of probes, until it is stopped. */
function measure(base: string, token: string, run: HostileRun): { stop(): Promise<void> } {
  const stopping = new AbortController();
  async function repeat(path: string, headers: Record<string, string>): Promise<void> {
    const times = (run.responses[path] ??= []);
    while (!stopping.signal.aborted) {
      const started = performance.now();
      const response = await fetch(`${base}${path}`, { headers });
      await response.arrayBuffer();
      times.push(performance.now() - started);
      if (path === 'healthz' || path === 'readyz') run.probes.push(response.status);
      await sleep(20);
    }
  }
  const running = Promise.all([
    repeat('healthz', {}),
    repeat('readyz', {}),
    repeat('api/registries', { authorization: `Bearer ${token}` }),
  ]);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** @returns the token of a new organization */
async function organization(base: string, name: string): Promise<string> {
  const created = await send(base, 'api/organizations', OPERATOR, { name });
  return created['token'] as string;
}

/** Subscribes, and waits until no version is pending. @returns the state of the version of each app */
async function subscribed(base: string, token: string, url: string, timeout: number): Promise<Record<string, string>> {
  const { subscription: registry } = (await send(base, 'api/registries/subscribe', token, {
    url,
    name: url.slice(-60),
  })) as {
    subscription: { id: string };
  };
  const until = performance.now() + timeout;
  for (;;) {
    const { apps } = (await send(base, `api/registries/${registry.id}/apps?limit=100`, token)) as {
      apps?: { key: string }[];
    };
    const states: Record<string, string> = {};
    for (const { key } of apps ?? []) {
      const { versions } = (await send(base, `api/registries/${registry.id}/apps/${key}/versions`, token)) as {
        versions: { state: string; reason: { rule: string } | null }[];
      };
      const [{ state, reason } = { state: 'pending', reason: null }] = versions;
      states[key] = reason === null ? state : `${state}: ${reason.rule}`;
    }
    const expected = new URL(url).searchParams.get('apps')?.split(',').length ?? 0;
    if (Object.keys(states).length === expected && !Object.values(states).includes('pending')) return states;
    if (performance.now() > until) return states;
    await sleep(200);
  }
}

async function send(base: string, path: string, token: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${base}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const value: unknown = await response.json();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(value)}`);
  return value as Record<string, unknown>;
}

interface Host {
  /** The manifest of a registry with the archives of these numbers. */
  url(name: string, archives: readonly number[]): string;
  close(): void;
}

async function openHost(archives: readonly Buffer[]): Promise<Host> {
  const digests = archives.map((bytes) => createHash('sha256').update(bytes).digest('hex'));
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', base());
    const [, kind = '', number = '0'] = url.pathname.split('/');
    const headers = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };
    const reply = (type: string, body: string | Buffer): void => {
      response.writeHead(200, { ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    if (kind === 'icon.svg') return reply('image/svg+xml', ICON);
    if (kind === 'artifact') return reply('application/gzip', archives[Number(number.split('.')[0])] ?? '');
    if (kind === 'metadata') return reply('application/json', JSON.stringify(metadataOf(Number(number))));
    reply('application/json', JSON.stringify(manifestOf((url.searchParams.get('apps') ?? '').split(',').map(Number))));
  });
  const base = (): string => `http://localhost:${(server.address() as AddressInfo).port}`;
  function manifestOf(numbers: readonly number[]): object {
    const apps = numbers.map((number) => [
      `app-${number}`,
      {
        name: `App ${number}`,
        description: 'An app.',
        blockStyle: { iconUrl: `${base()}/icon.svg`, color: '#102030' },
        appMetadataUrl: `${base()}/metadata/${number}`,
      },
    ]);
    return { apps: Object.fromEntries(apps) };
  }
  const metadataOf = (number: number): object => ({
    versions: [
      {
        version: '1.0.0',
        artifactUrl: `${base()}/artifact/${number}.tar.gz`,
        artifactChecksum: `sha256:${digests[number]}`,
      },
    ],
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  return {
    url: (name, numbers) => `${base()}/${name}.json?apps=${numbers.join(',')}`,
    close: () => server.close().closeAllConnections(),
  };
}
