// `appreg verify` of a registry that nginx serves over HTTPS, against curl --parallel with openssl and with sha256sum.
// Needs nginx, curl, openssl, GNU time and a build (`npm run build`).
// Usage: node bench/verify.mjs [pairs] [large|code|small|cache|line|growth|full]...   (7 pairs of all but the last)
//        node bench/verify.mjs --smoke   (one pair of each with a few small files, to test that it works)
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './nginx.mjs';
import { pair } from './pair.mjs';
import { writeRegistry } from './registry.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const line = fileURLToPath(new URL('line.mjs', import.meta.url));
const SMALL = { versions: 10, from: 10_000, to: 100_000 };
const SCENARIOS = {
  large: { apps: 20, versions: 10, from: 50_000, to: 20_000_000 },
  // The same as `large`, but text that unpacks to five times its size: the cost of listing archives.
  code: { apps: 20, versions: 10, from: 50_000, to: 8_000_000, content: 'code' },
  small: { apps: 500, ...SMALL },
  // The second run, which finds nothing changed.
  cache: { apps: 500, ...SMALL, cached: true },
  // With a round trip of 50 ms, and the same concurrency on both sides.
  line: { apps: 50, ...SMALL, roundTrip: 50, parallel: 64 },
  growth: { apps: [50, 500, 5000], ...SMALL },
  full: { apps: 120, versions: 20, from: 50_000, to: 20_000_000 },
};
const TINY = { apps: 2, versions: 2, from: 10_000, to: 400_000 };
const args = process.argv.slice(2);
const smoke = args.includes('--smoke');
const names = args.filter((arg) => Object.hasOwn(SCENARIOS, arg));
const runs = Number(args.find((arg) => /^\d+$/.test(arg)) ?? (smoke ? 1 : 7));
const table = [];

for (const name of names.length > 0 ? names : ['large', 'code', 'small', 'cache', 'line', 'growth']) {
  const known = SCENARIOS[name];
  const { apps, ...scenario } = smoke ? { ...known, ...TINY, apps: name === 'growth' ? [1, 2] : 2 } : known;
  if (!Array.isArray(apps)) {
    await measure(name, { apps, ...scenario });
    continue;
  }
  const rows = [];
  for (const count of apps) rows.push([count, await measure(`${name} ${count}`, { apps: count, ...scenario })]);
  for (const of of ['ours', 'cpu']) {
    const slopes = rows.slice(1).map(([count, row], i) => {
      const [before, smaller] = rows[i];
      return (Math.log(row[of] / smaller[of]) / Math.log(count / before)).toFixed(2);
    });
    console.log(`${name}: slope of log ${of === 'cpu' ? 'CPU time' : 'time'} over log size ${slopes.join(', ')}`);
  }
}

console.log('\n| job | ratio of time | of CPU time | peak memory, MB |\n| --- | --- | --- | --- |');
for (const { name, ratio, cpuRatio, memory } of table)
  console.log(`| ${name} | ${ratio.toFixed(2)} | ${cpuRatio.toFixed(2)} | ${Math.round(memory)} |`);

async function measure(name, { cached = false, roundTrip = 0, parallel = 32, ...registry }) {
  const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
  // curl writes to memory, so that no disk is measured.
  const store = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'appreg-bench-'));
  const server = await serve(folder);
  const served = roundTrip > 0 ? await withLatency(server.origin, roundTrip) : server;
  try {
    const { files, digests, bytes } = writeRegistry(join(folder, 'www'), served.origin, registry);
    const size = `${digests.length} artifacts, ${(bytes / 1e6).toFixed(0)} MB`;
    console.log(`${name}: ${registry.apps} apps, ${size}`);
    const write = (file, lines) => writeFileSync(join(folder, file), lines.join(''));
    write(
      'urls',
      files.map((path) => `url = "${served.origin}/${path}"\noutput = "${path}"\n`),
    );
    write(
      'sums',
      digests.map(([digest, path]) => `${digest}  ${path}\n`),
    );
    write(
      'sums-r',
      digests.map(([digest, path]) => `${digest} *${path}\n`),
    );
    write(
      'artifacts',
      digests.map(([, path]) => `${path}\n`),
    );
    const fetch = `set -e; cd ${store}; rm -rf apps; curl --silent --show-error --fail --parallel --parallel-max ${parallel} --cacert ${folder}/root.pem --create-dirs --config ${folder}/urls`;
    const ours = [process.execPath, appreg, 'verify', `${served.origin}/registry.json`, '--quiet'];
    ours.push('--ca', join(folder, 'root.pem'), '--concurrency', String(parallel));
    if (cached) ours.push('--cache', join(folder, 'cache'));
    const shell = (check) => ['sh', '-c', `${fetch}; ${check}`];
    const openssl = shell(`xargs openssl dgst -sha256 -r < ${folder}/artifacts | cmp - ${folder}/sums-r`);
    checkReport(ours, digests.length, bytes);
    const row = pair(`${name} / curl and openssl dgst`, ours, openssl, { runs });
    table.push(row);
    if (name === 'large')
      table.push(pair(`${name} / curl and sha256sum -c`, ours, shell(`sha256sum --quiet -c ${folder}/sums`), { runs }));
    return row;
  } finally {
    if (served !== server) await served.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
    rmSync(store, { recursive: true });
  }
}

/** Throws if the report is incomplete or has errors: the run could not be compared then. */
function checkReport([command, ...commandArgs], artifacts, bytes) {
  const { stdout, stderr } = spawnSync(command, [...commandArgs, '--format', 'json'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const { summary } = JSON.parse(stdout || '{}');
  if (summary?.errors !== 0 || summary.warnings !== 0 || summary.artifacts !== artifacts || summary.bytes < bytes)
    throw new Error(
      `verify did not report ${artifacts} artifacts without findings: ${JSON.stringify(summary)} ${stderr}`,
    );
}

/** The same server behind a proxy with latency, in a separate process, since the pairs keep this one busy. */
async function withLatency(origin, roundTrip) {
  const child = spawn(process.execPath, [line, new URL(origin).port, String(roundTrip)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
  return {
    origin: `https://127.0.0.1:${port}`,
    stop: () => new Promise((resolve) => child.once('exit', resolve).kill()),
  };
}
