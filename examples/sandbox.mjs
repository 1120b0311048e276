// A registry and the service on one machine, to see the registry as subscribers see it. `npm run sandbox` builds appreg and runs this.
// Ctrl+C stops it; subscriptions are kept for the next run.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeRegistry } from './make-registry.mjs';
import { startSideBySide } from './side-by-side.mjs';
import { useTemporaryFolders } from './temporary-folders.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const appreg = join(here, '../bin/appreg.js');
// PostgreSQL does not run as root, and its user may have no access to this folder.
const data = process.getuid?.() === 0 ? '/var/lib/appreg/sandbox' : join(here, '../.cache/sandbox');

useTemporaryFolders();
const out = existsSync(join(here, 'out/registry.json')) ? join(here, 'out') : makeRegistry(appreg, false);
let stop = null;
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    ending = true;
    stop?.();
  });
try {
  const both = await startSideBySide(appreg, out, data, (line) => process.stderr.write(`${line}\n`));
  stop = both.stop;
  if (ending) stop();
  process.stdout.write(`
The registry of examples/out   ${both.manifest}
The service                    ${both.page}

Open the service in a browser and create an organization. Then, in Settings, App Registries,
Subscribe to Registry, give it the registry's URL. Ctrl+C stops both. The data of the service
is kept in ${data}.
`);
  await both.ended;
  await stop();
} catch (error) {
  if (error.command === undefined) throw error;
  // The output of the command names the cause.
  process.stderr.write(`${error.message}.\n`);
  if (error.command === 'service') process.stderr.write(`Its data is in ${data}. Delete it to start again.\n`);
  process.exitCode = 1;
}
