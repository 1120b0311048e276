// Refreshes of registries where nothing changed against the same requests by a bare undici loop, in pairs; the registries
// are served by a process of its own. Usage: node bench/service-refresh.mjs [registries] [pairs]   (1000, 5)
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openSupport } from './support.mjs';

const CONCURRENCY = 16;

if (process.argv[2] === 'farm') {
  const { support, close } = await openSupport('registry-farm');
  close();
  const farm = await support.openFarm(Number(process.argv[3]), { apps: 3, versions: 4 });
  const asked = [];
  process.on('message', () => process.send(asked.splice(0)));
  farm.onRequest = (ask) => void asked.push(ask);
  process.send(farm.port);
} else {
  const [registries = 1000, pairs = 5] = process.argv.slice(2).map(Number);
  const { support, close } = await openSupport('debian-postgres', 'registry-farm', 'service-refresh');
  const server = await support.startDebianPostgres(support.debianPostgres());
  const farm = fork(fileURLToPath(import.meta.url), ['farm', `${registries}`]);
  const [port] = await once(farm, 'message');
  const bases = Array.from({ length: registries }, (_, i) => support.farmBase(port, i));
  const refreshing = await support.openRefreshing(
    server.url,
    bases.map((base) => `${base}/registry.json`),
  );
  try {
    for (let round = 0; round < 2; round++) await refresh(refreshing);
    await requestsOf(farm);
    await refresh(refreshing);
    const asks = await requestsOf(farm);
    const byRegistry = bases.map((base) => asks.filter(({ url }) => url.startsWith(base)));
    console.log(`${registries} registries, ${asks.length} requests, ${CONCURRENCY} registries at once`);
    const ratios = { wall: [], cpu: [] };
    for (let pair = 0; pair < pairs; pair++) {
      await refreshing.makeDue();
      const ours = await measured(() => refreshing.refreshAll(CONCURRENCY));
      const theirs = await measured(() => support.askAll(byRegistry, CONCURRENCY));
      console.log(
        `refreshes ${told(ours)}   bare requests ${told(theirs)}   ratio ${(ours.wall / theirs.wall).toFixed(2)}, of processor time ${(ours.cpu / theirs.cpu).toFixed(2)}`,
      );
      ratios.wall.push(ours.wall / theirs.wall);
      ratios.cpu.push(ours.cpu / theirs.cpu);
    }
    console.log(`median ratio ${median(ratios.wall).toFixed(2)}, of processor time ${median(ratios.cpu).toFixed(2)}`);
  } finally {
    await refreshing.close();
    farm.kill();
    await server.stop();
    close();
  }
}

async function refresh(refreshing) {
  await refreshing.makeDue();
  await refreshing.refreshAll(CONCURRENCY);
}

async function requestsOf(farm) {
  farm.send('requests');
  const [asks] = await once(farm, 'message');
  return asks;
}

async function measured(act) {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  await act();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - begun) / 1000, cpu: (user + system) / 1e6 };
}

function told({ wall, cpu }) {
  return `${wall.toFixed(2)} s (${cpu.toFixed(2)} s of processor time)`;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
