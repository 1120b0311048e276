// The main job of appreg on a small real registry: scaffold, add two apps, build and publish them, lint, serve over
// HTTPS, verify. `npm run demo` builds appreg and runs this; the registry is kept in examples/out, and nothing else is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeRegistry, show } from './make-registry.mjs';
import { useTemporaryFolders } from './temporary-folders.mjs';

const here = dirname(fileURLToPath(import.meta.url));
// With an argument: the appreg to run, for example an installed one.
const appreg = process.argv[2] ?? join(here, '../bin/appreg.js');

useTemporaryFolders();
const out = makeRegistry(appreg);
await serveAndVerify();

async function serveAndVerify() {
  show(['serve', '--https', '--port', '0'], out);
  const server = spawn(process.execPath, [appreg, 'serve', '--https', '--port', '0'], { cwd: out, stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => server.kill('SIGTERM'));
  let log = '';
  server.stderr.on('data', (chunk) => (log += chunk));
  const lines = createInterface({ input: server.stdout });
  const ended = once(server, 'exit');
  const url = await Promise.race([once(lines, 'line').then(([line]) => line), ended.then(() => { throw new Error(`appreg serve ended early:\n${log}`); })]);
  // The log names the authority that signed the certificate.
  while (!/--ca\s+\S+/.test(log)) await Promise.race([once(server.stderr, 'data'), ended]);
  process.stdout.write(`${url}\n${log}`);
  try {
    const ca = /--ca\s+('[^']+'|"[^"]+"|\S+)/.exec(log)[1].replaceAll(/['"]/g, '');
    const words = ['verify', url, '--ca', ca];
    show(words, out);
    // Not spawnSync: the output of the server must be read meanwhile.
    const verify = spawn(process.execPath, [appreg, ...words], { cwd: out, stdio: ['ignore', 'inherit', 'inherit'] });
    const [status] = await once(verify, 'exit');
    if (status !== 0) throw new Error(`appreg verify ended with ${status}`);
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
  process.stdout.write(`\nDone. The registry is in ${relative(process.cwd(), out)}.\n`);
}
