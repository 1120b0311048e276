// `appreg assemble` of 112 apps into a bucket, and `appreg publish-version`, where each answer takes 50 ms: the time and
// the requests. The bucket is in this process. Needs a build.
// Usage: node bench/bucket.mjs [milliseconds per answer] [apps]; --smoke: few apps, and no delay.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const smoke = process.argv[2] === '--smoke';
const [delay = 50, apps = 112] = smoke ? [0, 3] : process.argv.slice(2).map(Number);

const objects = new Map();
let counts = { store: 0, public: 0 };
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://x');
  const key = url.pathname;
  // Requests of the store are signed; the others are those of the public address.
  counts[request.headers.authorization ? 'store' : 'public'] += 1;
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => setTimeout(() => answer(request, response, url, key, Buffer.concat(chunks)), delay));
});

function answer({ method, headers }, response, url, key, body) {
  const there = objects.get(key);
  const refuse = (status, code) => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
  if (method === 'PUT') {
    if (headers['if-none-match'] && there) return refuse(412, 'PreconditionFailed');
    if (headers['if-match'] && headers['if-match'] !== there?.etag) return refuse(412, 'PreconditionFailed');
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    const own = Object.entries(headers).filter(([name]) => /^x-amz-meta-|^content-type$|^cache-control$/.test(name));
    objects.set(key, { body, etag, headers: Object.fromEntries(own) });
    return response.writeHead(200, { etag }).end();
  }
  if (url.searchParams.has('list-type')) {
    const keys = [...objects.keys()].filter((one) => one.startsWith(key + url.searchParams.get('prefix'))).toSorted();
    const contents = keys.map((one) => `<Contents><Key>${one.slice(key.length)}</Key></Contents>`).join('');
    return response.end(`<ListBucketResult xmlns="x"><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
  }
  if (!there) return refuse(404, 'NoSuchKey');
  return response.writeHead(200, { ...there.headers, etag: there.etag }).end(there.body);
}

const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${server.address().port}`;

async function run(...args) {
  counts = { store: 0, public: 0 };
  const started = performance.now();
  const env = { ...process.env, AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench', APPREG_CACHE_DIR: folder };
  const child = spawn(process.execPath, [appreg, ...args, '--quiet'], { cwd: folder, env, stdio: 'ignore' });
  const status = await new Promise((resolve) => child.on('close', resolve));
  if (status !== 0) throw new Error(`appreg ${args.join(' ')} ended with ${status}`);
  return { seconds: (performance.now() - started) / 1000, ...counts };
}

function report(what, { seconds, store, public: others }) {
  console.log(`${what}: ${seconds.toFixed(2)} s, ${store} requests to the store, ${others} to its public address`);
}

try {
  const store = ['--store', 's3', '--bucket', 'registry', '--region', 'us-east-1', '--endpoint', endpoint];
  await run('init', '--base-url', `${endpoint}/registry/`, ...store);
  for (let at = 1; at <= apps; at++) {
    const app = join(folder, `apps/app-${at}`);
    mkdirSync(app, { recursive: true });
    writeFileSync(
      join(app, 'icon.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M1 1h6"/></svg>',
    );
    writeFileSync(join(app, 'app.json'), `{"name":"App ${at}","description":"An app.","color":"#112233"}\n`);
  }
  writeFileSync(join(folder, 'app.mjs'), 'export default 1;\n');
  report(`assemble ${apps} apps`, await run('assemble'));
  report('assemble again', await run('assemble'));
  const published = await run('publish-version', 'app-1', '1.0.0', '--entry', 'app.mjs');
  report('publish-version', published);
  rmSync(join(folder, 'stores'), { recursive: true });
  writeFileSync(join(folder, 'app.mjs'), 'export default 2;\n');
  const other = await run('publish-version', 'app-1', 'patch', '--entry', 'app.mjs');
  report('publish-version, conditions not remembered', other);
  if (published.store > 8) throw new Error('a publish takes more than 8 requests');
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
}
