// Everything on one machine, to see a registry as its subscribers will: the example registry is served, the service runs
// beside it. `npm run sandbox` builds appreg and runs this. Ctrl+C stops both; what was subscribed to is there again the
// next time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeRegistry } from './make-registry.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const appreg = join(here, '../bin/appreg.js');
// PostgreSQL does not run as root, and the user that it runs as then may not get to this folder.
const data = process.getuid?.() === 0 ? '/var/lib/appreg/sandbox' : join(here, '../.cache/sandbox');

const out = existsSync(join(here, 'out/registry.json')) ? join(here, 'out') : makeRegistry(appreg, false);
const registry = start('serve', out, '--port', process.env.REGISTRY_PORT ?? '8080');
const service = start('service', '--allow-host', 'localhost', '--data', data);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
const manifest = await registry.ready;
const page = await service.ready;
if (manifest && page)
  process.stdout.write(`
The registry of examples/out   ${manifest}
The service                    ${page}

Open the service in a browser and make an organization. Then, in Settings, App Registries,
Subscribe to Registry, give it the registry's address. Ctrl+C stops both.
`);
await Promise.race([registry.ended, service.ended]);
stop();
await Promise.all([registry.ended, service.ended]);

/** Runs appreg; its remarks are shown, but of the log only what somebody has to see to. */
function start(...args) {
  const child = spawn(process.execPath, [appreg, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!/^\{.*"level":"(debug|info)"/.test(line)) process.stderr.write(`${line}\n`);
  });
  const ready = Promise.race([once(createInterface({ input: child.stdout }), 'line').then(([line]) => line), ended.then(() => null)]);
  return { child, ready, ended };
}

function stop() {
  for (const { child } of [registry, service]) if (child.exitCode === null) child.kill('SIGTERM');
}
