// Scenario: PostgreSQL is restarted under running nodes, again and again.
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildInto } from '../../test/support/built.ts';
import { type DebianServer, debianPostgres, startDebianPostgres } from '../../test/support/debian-postgres.ts';
import { type FaultHost, openFaultHost, tagged } from '../../test/support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../../test/support/live-registry.ts';
import { type Farm, openFarm } from '../../test/support/registry-farm.ts';
import { type Node, startNode } from '../../test/support/service-node.ts';
import { queryOnce, startWriter } from '../../test/support/service-writer.ts';

/** Nodes whose PostgreSQL server restarts, and nodes that are stopped for a while. */

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
const main = join(buildFolder, 'dist/node/main.cjs');
const OPERATOR = 'the-operator-of-these-outages';
const REGISTRIES = 30;
const bin = debianPostgres();
let server: DebianServer;
let farm: Farm;
beforeAll(async () => {
  if (bin === null) return;
  await buildInto(buildFolder);
  [server, farm] = await Promise.all([startDebianPostgres(bin), openFarm(REGISTRIES)]);
}, 90_000);
afterAll(async () => {
  await farm?.close();
  await server?.stop();
  rmSync(buildFolder, { recursive: true, force: true });
});

function start(flags: string[] = []): Node {
  const env = { DATABASE_URL: server.url, OPERATOR_TOKEN: OPERATOR };
  return startNode(main, ['--allow-host', 'localhost', '--concurrency', '4', ...flags], { env });
}

/** Registries that are due at once, each with a subscription. */
async function addSubscribed(urls: readonly string[]): Promise<void> {
  const values = urls.map((url) => `('${url}')`).join();
  await queryOnce(
    server.url,
    `with o as (insert into organizations (name) values ('Subscriber') returning id),
       r as (insert into registries (url) values ${values} returning id)
     insert into subscriptions (organization_id, registry_id, name) select o.id, r.id, 'Apps' from o, r`,
  );
}

async function statusOf(base: string, path: string): Promise<number> {
  const response = await fetch(`${base}${path}`);
  await response.arrayBuffer();
  return response.status;
}

describe.skipIf(bin === null)('a node', () => {
  test('survives 10 restarts of PostgreSQL during refreshes and changes', { timeout: 300_000 }, async () => {
    const node = start();
    const base = await node.ready;
    await addSubscribed(Array.from({ length: REGISTRIES }, (_, i) => farm.url(i)));
    const writer = startWriter(base, OPERATOR);
    for (let restart = 0; restart < 10; restart++) {
      await queryOnce(server.url, 'update registries set next_check_at = now(), unchanged_token = null');
      await sleep(200 + 80 * restart);
      await server.restart();
      await expect.poll(() => statusOf(base, 'readyz'), { interval: 100 }).toBe(200);
    }
    const unchecked =
      'select count(*)::int as count from registries where checked_at is null or next_check_at <= now()';
    await expect
      .poll(async () => (await queryOnce(server.url, unchecked))[0], { timeout: 120_000, interval: 500 })
      .toEqual({ count: 0 });
    await writer.stop();
    expect(node.child.exitCode).toBe(null);
    const stored = await queryOnce(server.url, `select id, name from organizations where name <> 'Subscriber'`);
    const names = new Map(stored.map(({ id, name }) => [id, name]));
    for (const [id, name] of writer.confirmed) expect(names.get(id)).toBe(name);
    expect(new Set(names.values()).size).toBe(names.size);
    expect(writer.confirmed.size).toBeGreaterThan(20);
    expect(writer.statuses.get(503)).toBeGreaterThan(0);
    const versions = `select count(*)::int as count, count(*) filter (where state = 'verified')::int as verified from versions`;
    expect(await queryOnce(server.url, versions)).toEqual([{ count: REGISTRIES * 4, verified: REGISTRIES * 4 }]);
    const lines = node.stderr().split('\n');
    expect(lines.filter((line) => /"event":"(defect|refresh-crashed|queue-error)"/.test(line))).toEqual([]);
    // Each outage: a few lines, however many connections and jobs there were.
    expect(lines.filter((line) => line.includes('"level":"warn"')).length).toBeLessThan(20 * 10);
    node.child.kill('SIGTERM');
    expect(await node.ended).toBe(0);
  });

  test('that was stopped while another one checked a registry writes nothing', { timeout: 180_000 }, async () => {
    await queryOnce(server.url, 'truncate organizations, registries, refresh_jobs cascade');
    const host = await openFaultHost();
    const answered = new AbortController();
    const requested = new AbortController();
    list(host, '1.0.0');
    const metadata = '/clock.json';
    host.on(metadata, async (request, socket) => {
      requested.abort();
      await once(answered.signal, 'abort');
      await tagged(versionsOf(host, '1.0.0'))(request, socket);
    });
    await addSubscribed([`${host.origin}/registry.json`]);
    const stopped = start();
    const stoppedBase = await stopped.ready;
    await aborted(requested.signal);
    stopped.child.kill('SIGSTOP');
    // As after half a minute.
    await queryOnce(server.url, `update refresh_jobs set claimed_until = now() where claim is not null`);
    list(host, '2.0.0');
    const other = start();
    await other.ready;
    const checked = 'select count(*)::int as count from registries where checked_at is not null';
    await expect.poll(() => queryOnce(server.url, checked), { timeout: 90_000, interval: 200 }).toEqual([{ count: 1 }]);
    const after = await storedRows();
    expect(JSON.stringify(after)).toContain('2.0.0');
    answered.abort();
    stopped.child.kill('SIGCONT');
    await expect
      .poll(async () => (await fetch(`${stoppedBase}metrics`)).text(), { interval: 200 })
      .toContain('\nappreg_refreshing 0\n');
    expect(await storedRows()).toEqual(after);
    for (const node of [stopped, other]) node.child.kill('SIGTERM');
    expect(await Promise.all([stopped.ended, other.ended])).toEqual([0, 0]);
    await host.close();
  });
});

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function versionsOf(host: FaultHost, version: string): string {
  const bytes = archive(version);
  const artifactUrl = host.on(`/${version}.tar.gz`, gzipped(bytes));
  return JSON.stringify({ versions: [{ version, artifactUrl, artifactChecksum: checksum(bytes) }] });
}

/** Lists one app with one version. */
function list(host: FaultHost, version: string): void {
  const app = {
    name: `Clock ${version}`,
    description: 'Shows the time.',
    blockStyle: { iconUrl: host.on('/clock.svg', tagged(SVG, { 'Content-Type': 'image/svg+xml' })), color: '#336699' },
    appMetadataUrl: host.on('/clock.json', tagged(versionsOf(host, version))),
  };
  host.on('/registry.json', tagged(JSON.stringify({ apps: { clock: app } })));
}

/** What refreshes write. */
async function storedRows(): Promise<unknown[]> {
  const tables = ['registries', 'apps', 'versions', 'events'];
  return Promise.all(tables.map((table) => queryOnce(server.url, `select * from ${table} order by 1, 2, 3`)));
}
