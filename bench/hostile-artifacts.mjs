// One node checks artifacts that are made to stall the scan of their content, all of one organization, while another
// organization and probes send requests: milliseconds of their responses. Exit 1 if a response of the other organization
// takes longer than 500 ms (99 of 100), or a probe fails. Usage: node bench/hostile-artifacts.mjs [MB] [registries]
// (10 MB of content in each of the archives, 4 registries that list all of them); --smoke: 1 MB, one registry
// Needs Debian's postgresql.
import { openSupport } from './support.mjs';

const isSmoke = process.argv.includes('--smoke');
const [size = '10', count = '4'] = process.argv.slice(2).filter((text) => /^\d+$/.test(text));
const [megabytes, registries] = isSmoke ? [1, 1] : [Number(size), Number(count)];
const { support, program, close } = await openSupport('debian-postgres', 'hostile-load');
const bin = support.debianPostgres();
if (bin === null) throw new Error('Debian’s postgresql is not installed: apt-get install postgresql');
const server = await support.startDebianPostgres(bin);
const at = (times, share) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)];

try {
  const run = await support.runHostileLoad(program, server.url, { megabytes, registries, timeout: 900_000 });
  const count = Object.keys(run.states).length;
  console.log(`${registries} × ${count} hostile artifacts with ${megabytes} MB of content each`);
  for (const [path, times] of Object.entries(run.responses)) {
    const [median, p99, most] = [0.5, 0.99, 1].map((share) => at(times, share).toFixed(0));
    console.log(`  ${path}: ${times.length} responses, median ${median} ms, p99 ${p99} ms, most ${most} ms`);
    if (!isSmoke && p99 > 500) process.exitCode = 1;
  }
  console.log(
    `  a new registry of the other organization was verified after ${(run.verifiedAfter / 1000).toFixed(1)} s`,
  );
  const failed = run.probes.filter((status) => status !== 200).length;
  console.log(
    `  ${failed} probes failed; pending: ${Object.values(run.states).filter((state) => state === 'pending').length}`,
  );
  if (failed > 0 || run.logged.has('database-unavailable')) process.exitCode = 1;
} finally {
  await server.stop();
  close();
}
