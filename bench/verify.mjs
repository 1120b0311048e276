// `appreg verify` of a registry that nginx serves over HTTPS, against curl --parallel with sha256sum and with openssl.
// Usage: node bench/verify.mjs [pairs] [large|code|small|full|smoke]...   (7 pairs of large and small by default)
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './nginx.mjs';
import { pair } from './pair.mjs';
import { writeRegistry } from './registry.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const SCENARIOS = {
  large: { apps: 40, versions: 20, from: 50_000, to: 20_000_000 },
  // The same as `large`, but of text that unpacks to five times its size: what the listing of archives costs.
  code: { apps: 20, versions: 20, from: 50_000, to: 8_000_000, content: 'code' },
  small: { apps: 500, versions: 10, from: 10_000, to: 100_000 },
  full: { apps: 120, versions: 20, from: 50_000, to: 20_000_000 },
  smoke: { apps: 3, versions: 3, from: 10_000, to: 100_000 },
};
const names = process.argv.slice(2).filter((word) => Object.hasOwn(SCENARIOS, word));
const runs = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? (names.includes('smoke') ? 1 : 7));

for (const name of names.length > 0 ? names : ['large', 'small']) {
  const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
  // Where curl puts what it fetches: in memory, so that no disk is measured.
  const store = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'appreg-bench-'));
  const server = await serve(folder);
  try {
    const { files, digests, bytes } = writeRegistry(join(folder, 'www'), server.origin, SCENARIOS[name]);
    const size = `${digests.length} artifacts, ${(bytes / 1e6).toFixed(0)} MB`;
    console.log(`${name}: ${SCENARIOS[name].apps} apps, ${size}`);
    writeFileSync(
      join(folder, 'urls'),
      files.map((path) => `url = "${server.origin}/${path}"\noutput = "${path}"\n`).join(''),
    );
    writeFileSync(join(folder, 'sums'), digests.map(([digest, path]) => `${digest}  ${path}\n`).join(''));
    writeFileSync(join(folder, 'sums-r'), digests.map(([digest, path]) => `${digest} *${path}\n`).join(''));
    writeFileSync(join(folder, 'artifacts'), digests.map(([, path]) => `${path}\n`).join(''));
    const fetch = `set -e; cd ${store}; rm -rf apps; curl --silent --show-error --fail --parallel --parallel-max 32 --cacert ${folder}/root.pem --create-dirs --config ${folder}/urls`;
    const ours = [
      process.execPath,
      appreg,
      'verify',
      `${server.origin}/registry.json`,
      '--ca',
      join(folder, 'root.pem'),
      '--quiet',
    ];
    const shell = (check) => ['sh', '-c', `${fetch}; ${check}`];
    pair(
      `${name} / curl and openssl dgst`,
      ours,
      shell(`xargs openssl dgst -sha256 -r < ${folder}/artifacts | cmp - ${folder}/sums-r`),
      { runs },
    );
    pair(`${name} / curl and sha256sum -c`, ours, shell(`sha256sum --quiet -c ${folder}/sums`), { runs });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
    rmSync(store, { recursive: true });
  }
}
