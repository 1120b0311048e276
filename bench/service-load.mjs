// Two nodes on a PostgreSQL server of the Debian package, with clients that send requests: every registry is refreshed
// for the first time, and one node is killed in the middle; then all are refreshed again, unchanged, without and with
// clients. Exit 1 if a registry was refreshed twice or not at all. Usage: node bench/service-load.mjs [registries] [organizations]   (1000, and 20000 with 5 each)
// With --smoke: a few registries and clients, and no node is killed. Needs Debian's postgresql.
import { setTimeout as sleep } from 'node:timers/promises';
import { openSupport } from './support.mjs';

const smoke = process.argv.includes('--smoke');
const [registries, organizations] = smoke
  ? [20, 50]
  : [1000, 20_000].map((usual, i) => Number(process.argv[i + 2] ?? usual));
// Long enough to detect a second refresh by mistake; and how long clients send requests while nothing is refreshed.
const [AFTER, IDLE] = smoke ? [2000, 1000] : [15_000, 30_000];
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
  if (smoke) await phase('first look', nodes, { people: 2 });
  else await phase('first look, one node killed in the middle', nodes, { people: 8, middle: () => nodes[1].kill() });
  const { verified } = await load.sizes();
  must(verified === registries * APPS * VERSIONS, `${verified} versions are verified`);
  if (!smoke) nodes[1] = await load.startNode();
  // The second refresh is judged like the first one; later ones are like all others of a day.
  for (const people of smoke ? [2] : [0, 0, 8]) {
    load.refreshed();
    await load.makeDue();
    await phase('look again, nothing changed', nodes, { people });
  }
  await idle(nodes);
  const after = await load.sizes();
  must(after.subscriptions === before.subscriptions, `${after.subscriptions} subscriptions are left`);
  console.log(`database: ${megabytes(after.database)}, empty of registries' contents ${megabytes(before.database)}`);
  for (const [name, size] of Object.entries(after.tables)) console.log(`  ${name} ${megabytes(size)}`);
} finally {
  await load.close();
  await server.stop();
  close();
}

async function phase(title, nodes, { people, middle = null }) {
  const cpu = () => nodes.reduce((sum, node) => sum + node.cpu(), 0);
  const requests = load.farm.answered.all;
  const [cpuBefore, serverBefore, begun] = [cpu(), serverCpu(server.pid()), performance.now()];
  const asking = load.startRequests(nodes, people);
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
  const seconds = (performance.now() - begun) / 1000;
  const [ours, theirs] = [cpu() - cpuBefore, serverCpu(server.pid()) - serverBefore];
  await sleep(AFTER);
  const taken = await asking.stop();
  const refreshed = load.refreshed();
  const twice = [...refreshed.values()].filter((count) => count > 1).length;
  const total = [...refreshed.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `\n${title}${killedAt === null ? '' : ` (after ${killedAt})`}, ${people === 0 ? 'nobody asks' : `${people} people ask`}: ${seconds.toFixed(1)} s`,
  );
  console.log(
    `  ${(registries / seconds).toFixed(1)} refreshes a second; ${(registries / ours).toFixed(1)} a second of a core for the nodes, ${(registries / (ours + theirs)).toFixed(1)} with PostgreSQL’s share`,
  );
  console.log(`  ${load.farm.answered.all - requests} requests to registries; ${total} refreshes ended`);
  tellAnswers(taken);
  must(twice === 0, `${twice} registries were refreshed twice`);
  must(refreshed.size === registries || middle !== null, `${refreshed.size} registries were refreshed`);
  must((await load.progress()).never === 0, 'some were never checked');
}

/** The response times of the API while nothing is refreshed. */
async function idle(nodes) {
  const cpu = () => nodes.reduce((sum, node) => sum + node.cpu(), 0) + serverCpu(server.pid());
  const before = cpu();
  const asking = load.startRequests(nodes, 8);
  await sleep(IDLE);
  const taken = await asking.stop();
  console.log(
    `\nnothing to refresh, 8 people ask: ${(taken.length / (cpu() - before)).toFixed(0)} answers a second of a core, PostgreSQL’s share included`,
  );
  tellAnswers(taken);
}

function tellAnswers(taken) {
  if (taken.length === 0) return;
  const at = (share) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))].toFixed(0);
  console.log(`  API: ${taken.length} answers, median ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`);
}

function must(holds, otherwise) {
  if (holds) return;
  console.log(`NOT AS IT SHOULD BE: ${otherwise}`);
  process.exitCode = 1;
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
