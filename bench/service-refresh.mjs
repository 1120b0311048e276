// Refreshes of registries where nothing changed against the same requests by a bare undici loop, in pairs; the registries
// are served by a separate process. Needs Debian's postgresql.
// Usage: node bench/service-refresh.mjs [registries] [pairs]   (1000, 7); with --smoke: 20 registries, one pair.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openSupport } from './support.mjs';

const CONCURRENCY = 16;
const APPS = 3;

if (process.argv[2] === 'farm') {
  const { support, close } = await openSupport('registry-farm');
  close();
  const farm = await support.openFarm(Number(process.argv[3]), { apps: APPS, versions: 4 });
  const requests = [];
  process.on('message', () => process.send(requests.splice(0)));
  farm.onRequest = (request) => void requests.push(request);
  process.send(farm.port);
} else {
  const smoke = process.argv.includes('--smoke');
  const [registries, pairs] = smoke ? [20, 1] : [1000, 7].map((count, i) => Number(process.argv[i + 2] ?? count));
  const { support, close } = await openSupport('debian-postgres', 'registry-farm', 'service-refresh');
  const bin = support.debianPostgres();
  if (bin === null) throw new Error('Debian’s postgresql is not installed: apt-get install postgresql');
  const server = await support.startDebianPostgres(bin);
  const farm = fork(fileURLToPath(import.meta.url), ['farm', `${registries}`]);
  const [port] = await once(farm, 'message');
  const bases = Array.from({ length: registries }, (_, i) => support.farmBase(port, i));
  const refreshing = await support.openRefreshing(
    server.url,
    bases.map((base) => `${base}/registry.json`),
  );
  try {
    for (let round = 0; round < 3; round++) {
      await requestsOf(farm);
      await refreshing.makeDue();
      await refreshing.refreshAll(CONCURRENCY);
    }
    const requests = await requestsOf(farm);
    const byRegistry = bases.map((base) => requests.filter(({ url }) => url.startsWith(base)));
    // The manifest, and for each app its metadata file and its about file, which is missing.
    expectThat(requests.length === registries * (1 + 2 * APPS), `${requests.length} requests were sent`);
    console.log(`${registries} registries, ${requests.length} requests, ${CONCURRENCY} registries at once`);
    // Nine of ten refreshes are of the first kind; once a day a registry is judged again, with one more request.
    for (const job of ['the last judgement is reused', 'judged again']) {
      const ratios = { wall: [], cpu: [] };
      for (let pair = 0; pair < pairs; pair++) {
        await refreshing.makeDue(job === 'judged again');
        const ours = await measured(() => refreshing.refreshAll(CONCURRENCY));
        const sent = (await requestsOf(farm)).length;
        expectThat(sent === requests.length, `${sent} requests were sent, not ${requests.length}`);
        const theirs = await measured(() => support.askAll(byRegistry, CONCURRENCY));
        await requestsOf(farm);
        const [wall, cpu] = [ours.wall / theirs.wall, ours.cpu / theirs.cpu];
        console.log(
          `${job}: ${describeTimes(ours)}, bare requests ${describeTimes(theirs)}: ${wall.toFixed(2)}, of CPU time ${cpu.toFixed(2)}`,
        );
        ratios.wall.push(wall);
        ratios.cpu.push(cpu);
      }
      console.log(
        `${job}: median ratio ${median(ratios.wall).toFixed(2)}, of CPU time ${median(ratios.cpu).toFixed(2)}`,
      );
    }
  } finally {
    await refreshing.close();
    farm.kill();
    await server.stop();
    close();
  }
}

function expectThat(condition, actual) {
  if (condition) return;
  console.log(`UNEXPECTED: ${actual}`);
  process.exitCode = 1;
}

async function requestsOf(farm) {
  farm.send('requests');
  const [requests] = await once(farm, 'message');
  return requests;
}

async function measured(work) {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 };
}

function describeTimes({ wall, cpu }) {
  return `${wall.toFixed(2)} s (${cpu.toFixed(2)} s of CPU time)`;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
