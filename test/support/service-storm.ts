import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomNumbers } from './random.ts';
import { openFarm } from './registry-farm.ts';
import { type Node, startNode } from './service-node.ts';

/** A single node that is killed while it writes, and checks of its data after each kill. */

export interface ServiceStorm {
  /**
   * Starts the node, sees that nothing is lost, lets clients write and registries change for a while, and kills it; now
   * and then its PostgreSQL with it. @throws Error that states what is lost
   */
  round(): Promise<void>;
  /** The last check that nothing is lost. The node is stopped. */
  finish(): Promise<void>;
  counts: {
    kills: number;
    subscriptions: number;
    removed: number;
    digests: number;
    requests: number;
    lostAnswers: number;
  };
}

/** State of a client; null after a request without a response, until the next check. */
interface Client {
  token: string;
  /** By number of the registry: the name, or false without a subscription. */
  known: Map<number, { id: string; name: string } | false | null>;
  /** Registries with a change in progress. */
  busy: Set<number>;
}

const OPERATOR = 'the-operator-of-this-storm';
const REGISTRIES = 24;

/** @param main dist/node/main.cjs @param folder an empty data folder @param chance from 0 to 1 */
export async function openServiceStorm(main: string, folder: string, chance = randomNumbers()): Promise<ServiceStorm> {
  const farm = await openFarm(REGISTRIES);
  const clients: Client[] = [];
  /** The digests of verified versions, as the API first reported them, by registry, app and version. */
  const digests = new Map<string, string>();
  const counts = { kills: 0, subscriptions: 0, removed: 0, digests: 0, requests: 0, lostAnswers: 0 };
  const flags = ['--data', folder, '--allow-host', 'localhost', '--interval', '1', '--quiet'];
  let node: Node | null = null;
  let base = '';

  async function ask(
    method: string,
    path: string,
    token: string,
    body?: unknown,
  ): Promise<{ status: number; json: any }> {
    counts.requests += 1;
    const response = await fetch(`${base}api/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 500) throw new Error(`a defect: ${text} ${node!.stderr()}`);
    return { status: response.status, json: text === '' ? null : JSON.parse(text) };
  }

  async function start(): Promise<void> {
    node = startNode(main, flags, { env: { OPERATOR_TOKEN: OPERATOR } });
    base = await node.ready;
  }

  async function newClient(): Promise<Client | null> {
    const { status, json } = await ask('POST', 'organizations', OPERATOR, { name: `Client ${clients.length}` });
    if (status !== 201) return null;
    const client: Client = { token: json.token, known: new Map(), busy: new Set() };
    clients.push(client);
    return client;
  }

  /** One change by one client; what it knows is noted only once there is an answer. */
  async function write(client: Client): Promise<void> {
    const registry = Math.floor(chance() * REGISTRIES);
    if (client.busy.has(registry)) return;
    client.busy.add(registry);
    const before = client.known.get(registry) ?? false;
    client.known.set(registry, null);
    if (before === false) {
      const name = `Registry ${registry}`;
      const { status, json } = await ask('POST', 'registries/subscribe', client.token, {
        url: farm.url(registry),
        name,
      });
      if (status !== 201 && status !== 409) throw new Error(`subscribe: ${status} ${JSON.stringify(json)}`);
      client.known.set(registry, { id: json.subscription.id, name: json.subscription.name });
      counts.subscriptions += 1;
    } else if (chance() < 0.5) {
      const name = `Renamed ${randomUUID()}`;
      const { status, json } = await ask('PATCH', `registries/${before.id}`, client.token, { name });
      if (status !== 200) throw new Error(`rename: ${status} ${JSON.stringify(json)}`);
      client.known.set(registry, { id: before.id, name });
    } else {
      const { status } = await ask('DELETE', `registries/${before.id}`, client.token);
      if (status !== 204) throw new Error(`remove: ${status}`);
      client.known.set(registry, false);
      counts.removed += 1;
    }
    client.busy.delete(registry);
  }

  /** Holds what the service has against what it answered before it was killed. */
  async function audit(): Promise<void> {
    const seen = new Set<number>();
    for (const client of clients) {
      client.busy.clear();
      const { json } = await ask('GET', 'registries', client.token);
      const listed = new Map<number, { id: string; name: string }>();
      for (const { id, url, name } of json.registries) listed.set(numberOf(url), { id, name });
      for (const [registry, known] of client.known) {
        const there = listed.get(registry) ?? false;
        if (known !== null && JSON.stringify(known) !== JSON.stringify(there))
          throw new Error(`registry ${registry}: it was ${JSON.stringify(known)}, and is ${JSON.stringify(there)} now`);
        client.known.set(registry, there);
        if (there !== false && !seen.has(registry)) {
          seen.add(registry);
          await auditVersions(client, registry, there.id);
        }
      }
    }
  }

  function numberOf(url: string): number {
    for (let registry = 0; registry < REGISTRIES; registry++) if (farm.url(registry) === url) return registry;
    throw new Error(`no client subscribed to ${url}`);
  }

  async function auditVersions(client: Client, registry: number, id: string): Promise<void> {
    for (const app of ['app-0', 'app-1']) {
      const { status, json } = await ask('GET', `registries/${id}/apps/${app}/versions?limit=100`, client.token);
      if (status === 404 && ![...digests.keys()].some((name) => name.startsWith(`${registry} ${app} `))) continue;
      const there = new Map<string, string>();
      const inForce: string[] = [];
      for (const { version, artifactChecksum, state } of json.versions) {
        there.set(version, artifactChecksum);
        // Until an artifact is verified, the currently listed digest takes the place of the earlier one.
        if (state === 'verified') inForce.push(version);
      }
      for (const [name, digest] of digests) {
        const [number, key, version] = name.split(' ');
        if (Number(number) !== registry || key !== app) continue;
        if (there.get(version!) !== digest)
          throw new Error(`${name} was ${digest} at first sight, and is ${there.get(version!) ?? 'gone'} now`);
      }
      for (const version of inForce) digests.set(`${registry} ${app} ${version}`, there.get(version)!);
    }
    counts.digests = digests.size;
  }

  async function worker(stopped: { yet: boolean }): Promise<void> {
    const client = await newClient();
    if (client === null) throw new Error('no organization');
    while (!stopped.yet) {
      await write(chance() < 0.7 ? client : clients[Math.floor(chance() * clients.length)]!);
      const registry = Math.floor(chance() * REGISTRIES);
      if (chance() < 0.2) farm.grow(registry);
      else if (chance() < 0.1) farm.swap(registry);
    }
  }

  return {
    counts,
    async round() {
      await start();
      await audit();
      const stopped = { yet: false };
      const failed: unknown[] = [];
      const workers = Array.from({ length: 4 }, () =>
        worker(stopped).catch((error: unknown) => {
          // A TypeError means that the other side of fetch is gone; everything else is a finding.
          if (error instanceof TypeError) counts.lostAnswers += 1;
          else failed.push(error);
        }),
      );
      const before = counts.subscriptions;
      await sleep(200 + chance() * 2_000);
      // On a busy machine, the clients need longer to begin.
      const until = Date.now() + 10_000;
      while (counts.subscriptions < before + 2 && Date.now() < until) await sleep(20);
      node!.child.kill('SIGKILL');
      if (chance() < 0.3) killServer(folder);
      stopped.yet = true;
      await Promise.all([...workers, node!.ended]);
      counts.kills += 1;
      if (failed.length > 0) throw failed[0] as Error;
    },
    async finish() {
      try {
        await start();
        await audit();
      } finally {
        node?.child.kill('SIGTERM');
        await node?.ended;
        await farm.close();
      }
    },
  };
}

function killServer(folder: string): void {
  const [pid] = readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
}
