import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { migrate } from '../../service/src/db/migrations/migrate.ts';
import { openDatabase } from '../../service/src/db/database.ts';
import { type Farm, openFarm } from './registry-farm.ts';
import { type Node, startNode } from './service-node.ts';

/** Nodes that share a PostgreSQL server, with registries to refresh and clients of the API. */

export interface Load {
  farm: Farm;
  /** Starts a node with both roles. */
  startNode(): Promise<LoadNode>;
  /** Makes all registries due at this moment. */
  makeDue(): Promise<void>;
  /** Registries that are not due any more, and have never been checked. */
  progress(): Promise<{ done: number; never: number }>;
  /** Completed refreshes by URL since the last call, from the logs of the nodes. */
  refreshed(): Map<string, number>;
  /** Sends requests to the API from several clients until `stop` is called, which returns the milliseconds of every response. */
  startRequests(nodes: LoadNode[], clients: number): { stop(): Promise<number[]> };
  sizes(): Promise<{ database: number; tables: Record<string, number>; subscriptions: number; verified: number }>;
  close(): Promise<void>;
}

export interface LoadNode {
  node: Node;
  url: string;
  /** Seconds of processor time so far; the last known value for a node that ended. */
  cpu(): number;
  kill(): Promise<void>;
}

export interface LoadOptions {
  registries: number;
  apps: number;
  versions: number;
  /** Each of them is subscribed to three registries that are common to all, and to two others. */
  organizations: number;
  concurrency: number;
}

const TICKS = 100;
const KNOWN = 50;

/** @param main dist/node/main.cjs @param databaseUrl of an empty database */
export async function openLoad(main: string, databaseUrl: string, options: LoadOptions): Promise<Load> {
  const farm = await openFarm(options.registries, options);
  const { db } = openDatabase(databaseUrl, 2, () => undefined);
  await migrate(db);
  await db.destroy();
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await seed(client, farm, options);
  const nodes: LoadNode[] = [];

  return {
    farm,
    async startNode() {
      const flags = ['--allow-host', 'localhost', '--concurrency', `${options.concurrency}`, '--verbose'];
      const node = startNode(main, flags, { env: { DATABASE_URL: databaseUrl } });
      const started = { node, url: await node.ready, ...watched(node) };
      nodes.push(started);
      return started;
    },
    async makeDue() {
      await client.query('update registries set next_check_at = now()');
    },
    async progress() {
      const { rows } = await client.query(
        'select count(*) filter (where next_check_at > now())::int as done, count(*) filter (where checked_at is null)::int as never from registries',
      );
      return rows[0];
    },
    refreshed() {
      const counts = new Map<string, number>();
      for (const { node } of nodes) {
        for (const [, url] of node.stderr().matchAll(/"event":"registry-refreshed","registry":\d+,"url":"([^"]+)"/g))
          counts.set(url!, (counts.get(url!) ?? 0) + 1);
        node.forget();
      }
      return counts;
    },
    startRequests: (nodes, clients) => startRequests(nodes, clients),
    async sizes() {
      const { rows } = await client.query(
        `select pg_database_size(current_database())::float8 as database,
           (select count(*)::int from subscriptions) as subscriptions,
           (select count(*)::int from versions where state = 'verified') as verified`,
      );
      const tables = await client.query(
        `select schemaname || '.' || relname as name, pg_total_relation_size(relid)::float8 as size
         from pg_stat_user_tables order by size desc limit 12`,
      );
      return { ...rows[0], tables: Object.fromEntries(tables.rows.map(({ name, size }) => [name, size])) };
    },
    async close() {
      for (const { node } of nodes) node.child.kill('SIGTERM');
      await Promise.all(nodes.map(({ node }) => node.ended));
      await client.end();
      await farm.close();
    },
  };
}

function tokenOf(organization: number): string {
  return `apr_${createHash('sha256').update(`organization ${organization}`).digest('base64url')}`;
}

async function seed(client: Client, farm: Farm, { organizations, registries }: LoadOptions): Promise<void> {
  await client.query(`insert into organizations (name) select 'Organization ' || i from generate_series(0, $1 - 1) i`, [
    organizations,
  ]);
  await client.query(
    `insert into tokens (organization_id, name, scope, hash)
     select id, 'First token', 'admin', sha256(('unknown token ' || name)::bytea) from organizations`,
  );
  for (let i = 0; i < Math.min(KNOWN, organizations); i++) {
    const hash = createHash('sha256').update(tokenOf(i)).digest();
    await client.query(
      'update tokens set hash = $1 where organization_id = (select id from organizations where name = $2)',
      [hash, `Organization ${i}`],
    );
  }
  const urls = Array.from({ length: registries }, (_, i) => farm.url(i));
  await client.query(
    `insert into registries (url) select url from unnest($1::text[]) with ordinality as t (url, i) order by i`,
    [urls],
  );
  await client.query(
    `insert into subscriptions (organization_id, registry_id, name)
     select o.id, r.id, 'Registry ' || r.number
     from (select id, substring(name from 14)::int as number from organizations) o
     join lateral (values (0), (1), (2), (3 + o.number % ($1 - 3)), (3 + (o.number * 7 + 5) % ($1 - 3))) wanted (number) on true
     join (select id, row_number() over (order by id) - 1 as number from registries) r on r.number = wanted.number
     on conflict do nothing`,
    [registries],
  );
  await client.query('vacuum analyze');
}

function watched(node: Node): Pick<LoadNode, 'cpu' | 'kill'> {
  let seconds = 0;
  const look = (): number => {
    const stat = statOf(node.child.pid!);
    if (stat !== null) seconds = stat;
    return seconds;
  };
  const timer = setInterval(look, 200).unref();
  return {
    cpu: look,
    async kill() {
      look();
      node.child.kill('SIGKILL');
      await node.ended;
      clearInterval(timer);
    },
  };
}

function statOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return null;
  }
}

/** Seconds of processor time of a PostgreSQL server and all of its children, gone ones included. */
export function serverCpu(pid: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]!.split(' ');
      if (Number(name) === pid)
        ticks += Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]);
      else if (Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended meanwhile, and is counted with its parent.
    }
  }
  return ticks / TICKS;
}

function startRequests(nodes: LoadNode[], clients: number): { stop(): Promise<number[]> } {
  const taken: number[] = [];
  const over = new AbortController();
  async function ask(url: string, token: string, path: string, body?: unknown): Promise<any> {
    const begun = performance.now();
    const response = await fetch(`${url}api/${path}`, {
      method: body === undefined ? 'GET' : 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = await response.json();
    if (response.status === 500) throw new Error(JSON.stringify(json));
    taken.push(performance.now() - begun);
    return json;
  }
  async function person(number: number): Promise<void> {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const { url, node } = nodes[(number + turn) % nodes.length]!;
      if (node.child.exitCode !== null || node.child.signalCode !== null) continue;
      const token = tokenOf((number * 7 + turn) % KNOWN);
      try {
        const { registries } = await ask(url, token, 'registries');
        const one = registries?.[turn % 5];
        if (one) {
          await ask(url, token, `registries/${one.id}/apps`);
          await ask(url, token, `registries/${one.id}/apps/app-0/versions`);
          if (turn % 10 === 0) await ask(url, token, `registries/${one.id}`, { name: `Registry, turn ${turn}` });
        }
        await ask(url, token, 'apps');
      } catch (error) {
        // A node that is killed answers no more.
        if (!(error instanceof TypeError)) throw error;
      }
      await sleep(100);
    }
  }
  const people = Array.from({ length: clients }, (_, number) => person(number));
  return {
    async stop() {
      over.abort();
      await Promise.all(people);
      return taken.sort((a, b) => a - b);
    },
  };
}
