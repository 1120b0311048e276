// Two nodes on a PostgreSQL server of the Debian package, with clients that send requests: every registry is refreshed
// for the first time, and one node is killed in the middle; then all are refreshed again, unchanged, without and with
// clients. Exit 1 if a registry was refreshed twice or not at all. Usage: node bench/service-load.mjs [registries] [organizations]   (1000, and 20000 with 5 each)
// With --smoke: a few registries and clients, and no node is killed. Needs Debian's postgresql.
import { setTimeout as sleep } from 'node:timers/promises';
import { openSupport } from './support.mjs';

const smoke = process.argv.includes('--smoke');
const [registries, organizations] = smoke
  ? [20, 50]
  : [1000, 20_000].map((count, i) => Number(process.argv[i + 2] ?? count));
// Long enough to detect a second refresh by mistake; and how long clients send requests while nothing is refreshed.
const [SETTLE_TIME, IDLE_TIME] = smoke ? [2000, 1000] : [15_000, 30_000];
const APPS = 3;
const VERSIONS = 4;
const CONCURRENCY = 8;
const { support, program, close } = await openSupport('debian-postgres', 'service-load');
const { debianPostgres, startDebianPostgres, openLoad, serverCpu } = support;
const bin = debianPostgres();
if (bin === null) throw new Error('Debian’s postgresql is not installed: apt-get install postgresql');
const server = await startDebianPostgres(bin);
const options = { registries, organizations, apps: APPS, versions: VERSIONS, concurrency: CONCURRENCY };
const load = await openLoad(program, server.url, options);

try {
  const before = await load.sizes();
  console.log(
    `${registries} registries of ${APPS} apps with ${VERSIONS} versions, ${before.subscriptions} subscriptions`,
  );
  const nodes = [await load.startNode(), await load.startNode()];
  if (smoke) await phase('first refresh', nodes, { clientCount: 2 });
  else
    await phase('first refresh, one node killed in the middle', nodes, {
      clientCount: 8,
      middle: () => nodes[1].kill(),
    });
  const { verified } = await load.sizes();
  expectThat(verified === registries * APPS * VERSIONS, `${verified} versions are verified`);
  if (!smoke) nodes[1] = await load.startNode();
  // The second refresh is judged like the first one; later ones are like all others of a day.
  for (const clientCount of smoke ? [2] : [0, 0, 8]) {
    load.refreshed();
    await load.makeDue();
    await phase('next refresh, nothing changed', nodes, { clientCount });
  }
  await idle(nodes);
  const after = await load.sizes();
  expectThat(after.subscriptions === before.subscriptions, `${after.subscriptions} subscriptions are left`);
  console.log(`database: ${megabytes(after.database)}, empty of registries' contents ${megabytes(before.database)}`);
  for (const [name, size] of Object.entries(after.tables)) console.log(`  ${name} ${megabytes(size)}`);
} finally {
  await load.close();
  await server.stop();
  close();
}

async function phase(title, nodes, { clientCount, middle = null }) {
  const cpu = () => nodes.reduce((sum, node) => sum + node.cpu(), 0);
  const requests = load.farm.answered.all;
  const [cpuBefore, serverBefore, started] = [cpu(), serverCpu(server.pid()), performance.now()];
  const clients = load.startRequests(nodes, clientCount);
  let killedAt = null;
  for (let last = 0; ;) {
    const { done } = await load.progress();
    if (middle && killedAt === null && done >= registries / 2) {
      killedAt = done;
      await middle();
    }
    if (done === registries) break;
    if (done >= last + registries / 5) console.error(`${(last = done)} of ${registries}`);
    await sleep(200);
  }
  const seconds = (performance.now() - started) / 1000;
  const [nodesCpu, serverCpuTime] = [cpu() - cpuBefore, serverCpu(server.pid()) - serverBefore];
  await sleep(SETTLE_TIME);
  const responseTimes = await clients.stop();
  const refreshed = load.refreshed();
  const twice = [...refreshed.values()].filter((count) => count > 1).length;
  const total = [...refreshed.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `\n${title}${killedAt === null ? '' : ` (after ${killedAt})`}, ${clientCount === 0 ? 'no clients' : `${clientCount} clients`}: ${seconds.toFixed(1)} s`,
  );
  console.log(
    `  ${(registries / seconds).toFixed(1)} refreshes a second; ${(registries / nodesCpu).toFixed(1)} a second of a core for the nodes, ${(registries / (nodesCpu + serverCpuTime)).toFixed(1)} with PostgreSQL’s share`,
  );
  console.log(`  ${load.farm.answered.all - requests} requests to registries; ${total} refreshes ended`);
  printResponseTimes(responseTimes);
  expectThat(twice === 0, `${twice} registries were refreshed twice`);
  expectThat(refreshed.size === registries || middle !== null, `${refreshed.size} registries were refreshed`);
  expectThat((await load.progress()).never === 0, 'some were never checked');
}

/** The response times of the API while nothing is refreshed. */
async function idle(nodes) {
  const cpu = () => nodes.reduce((sum, node) => sum + node.cpu(), 0) + serverCpu(server.pid());
  const before = cpu();
  const clients = load.startRequests(nodes, 8);
  await sleep(IDLE_TIME);
  const responseTimes = await clients.stop();
  console.log(
    `\nnothing to refresh, 8 clients: ${(responseTimes.length / (cpu() - before)).toFixed(0)} responses a second of a core, PostgreSQL’s share included`,
  );
  printResponseTimes(responseTimes);
}

/** @param times in milliseconds, sorted */
function printResponseTimes(times) {
  if (times.length === 0) return;
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0);
  console.log(`  API: ${times.length} responses, median ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`);
}

function expectThat(condition, actual) {
  if (condition) return;
  console.log(`UNEXPECTED: ${actual}`);
  process.exitCode = 1;
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
