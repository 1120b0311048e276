// The main job of appreg on a small real registry: scaffold, add two apps, build and publish them, lint, serve over
// HTTPS, verify. `npm run demo` builds appreg and runs this; what it makes stays in examples/out to be looked at.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'out');
// With an argument: the appreg to run, for example an installed one.
const appreg = process.argv[2] ?? join(here, '../bin/appreg.js');

rmSync(out, { recursive: true, force: true });

run('init', out, '--base-url', 'https://apps.example.com/', '--yes');
add('feed-watch', 'Feed Watch', 'Emits an event for each new item of an RSS or Atom feed.', '#d9480f');
add('business-hours', 'Business Hours', 'Counts deadlines in working hours and holds events back outside of them.', '#1864ab');

run('bundle', '../apps/feed-watch/main.ts', 'build/feed-watch.tar.gz', { in: out });
run('checksum', 'build/feed-watch.tar.gz', { in: out });
run('publish-version', 'feed-watch', '1.0.0', '--artifact', 'build/feed-watch.tar.gz', { in: out });
run('publish-version', 'business-hours', '1.0.0', '--entry', '../apps/business-hours/main.ts', '--ui', '../apps/business-hours/ui.tsx', { in: out });
run('lint', { in: out });
await serveAndVerify();

function add(key, name, description, color) {
  run('add-app', key, '--name', name, '--description', description, '--icon', `../apps/${key}/icon.svg`, '--color', color, { in: out });
}

/** Runs appreg, shows the command and what it prints, and ends here if it fails. */
function run(...args) {
  const options = typeof args.at(-1) === 'object' ? args.pop() : {};
  const cwd = options.in ?? here;
  show(args, cwd);
  const { status } = spawnSync(process.execPath, [appreg, ...args], { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`appreg ${args[0]} ended with ${status}`);
}

function show(words, cwd) {
  const shown = words.map((word) => (word.startsWith('/') ? relative(cwd, word) || '.' : word)).map((word) => (/[\s#]/.test(word) ? `'${word}'` : word));
  process.stdout.write(`\n$ appreg ${shown.join(' ')}\n`);
}

async function serveAndVerify() {
  show(['serve', '--https', '--port', '0'], out);
  const server = spawn(process.execPath, [appreg, 'serve', '--https', '--port', '0'], { cwd: out, stdio: ['ignore', 'pipe', 'pipe'] });
  let remarks = '';
  server.stderr.on('data', (chunk) => (remarks += chunk));
  const lines = createInterface({ input: server.stdout });
  const ended = once(server, 'exit');
  const url = await Promise.race([once(lines, 'line').then(([line]) => line), ended.then(() => { throw new Error(`appreg serve ended early:\n${remarks}`); })]);
  // The remarks name the authority that the certificate is signed by.
  while (!/--ca\s+\S+/.test(remarks)) await Promise.race([once(server.stderr, 'data'), ended]);
  process.stdout.write(`${url}\n${remarks}`);
  try {
    const ca = /--ca\s+('[^']+'|"[^"]+"|\S+)/.exec(remarks)[1].replaceAll(/['"]/g, '');
    const words = ['verify', url, '--ca', ca];
    show(words, out);
    // Not spawnSync: the remarks of the server must go on being read while it works.
    const verify = spawn(process.execPath, [appreg, ...words], { cwd: out, stdio: ['ignore', 'inherit', 'inherit'] });
    const [status] = await once(verify, 'exit');
    if (status !== 0) throw new Error(`appreg verify ended with ${status}`);
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
  process.stdout.write(`\nDone. The registry is in ${relative(process.cwd(), out)}.\n`);
}
