import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { folder } from '../support/folders.ts';

/** deploy/proxy/nginx.conf in a real nginx: what it limits for each client. */

const NGINX = '/usr/sbin/nginx';
const missing = spawnSync(NGINX, ['-v']).status !== 0;
let service: Server;
let stop = (): void => undefined;
let port: number;

/** Requests at once: the service responds to none before each of them has arrived, or was refused. */
const atOnce = { expected: 1, refused: 0, held: [] as ServerResponse[] };

function endIfAllArrived(): void {
  if (atOnce.held.length + atOnce.refused < atOnce.expected) return;
  for (const response of atOnce.held.splice(0)) response.end('ok');
}

beforeAll(async () => {
  if (missing) return;
  service = createServer((_, response) => {
    atOnce.held.push(response);
    endIfAllArrived();
  });
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
  const { port: servicePort } = service.address() as { port: number };
  port = await freePort();
  const root = folder();
  mkdirSync(join(root, 'tmp'));
  const shipped = readFileSync(new URL('../../deploy/proxy/nginx.conf', import.meta.url), 'utf8')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace('server 127.0.0.1:8090;', `server 127.0.0.1:${servicePort};`)
    .replaceAll(/^\s+ssl_certificate.*;$/gm, '')
    // The address of the client, as if it had connected from there.
    .replace('location / {', 'set_real_ip_from 127.0.0.1; real_ip_header X-Test-Client; location / {');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${root}/tmp/${name};`,
  );
  const main = `daemon off; master_process off; pid ${root}/pid; error_log ${root}/log; events { worker_connections 1024; }`;
  writeFileSync(join(root, 'nginx.conf'), `${main} http { access_log off; ${paths.join(' ')}\n${shipped}}`);
  const nginx = spawn(NGINX, ['-c', join(root, 'nginx.conf')], { stdio: 'inherit' });
  stop = () => void nginx.kill();
  while ((await get('192.0.2.1').catch(() => 0)) !== 200) {
    if (nginx.exitCode !== null) throw new Error('nginx has ended');
    await sleep(100);
  }
}, 30_000);
afterAll(() => {
  stop();
  service?.close();
});

const agent = new Agent({ maxSockets: Infinity });

async function get(client: string, path = '/'): Promise<number> {
  return new Promise((done, fail) => {
    request({ port, host: '127.0.0.1', path, agent, headers: { 'x-test-client': client } }, (response) => {
      response.resume().once('end', () => done(response.statusCode ?? 0));
    })
      .once('error', fail)
      .end();
  });
}

/** The number of requests at once that were refused. */
async function refused(number: number, clientOf: (i: number) => string): Promise<number> {
  Object.assign(atOnce, { expected: number, refused: 0 });
  const statuses = await Promise.all(
    Array.from({ length: number }, async (_, i) => {
      const status = await get(clientOf(i));
      if (status === 429) atOnce.refused += 1;
      endIfAllArrived();
      return status;
    }),
  );
  atOnce.expected = 1;
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 429).length;
}

describe.skipIf(missing)('nginx in front of the service', () => {
  test('limits the requests of a client, and not those of others', async () => {
    expect(await refused(60, () => '192.0.2.10')).toBe(0);
    expect(await refused(150, () => '192.0.2.11')).toBeGreaterThan(0);
    expect(await refused(150, (i) => `192.0.2.${i + 20}`)).toBe(0);
  });

  test('counts a network of IPv6 as one client', async () => {
    expect(await refused(150, (i) => `2001:db8:0:7::${(i + 1).toString(16)}`)).toBeGreaterThan(0);
    expect(await refused(150, (i) => `2001:db8:0:${(i + 8).toString(16)}::1`)).toBe(0);
  });

  test.each(['/healthz', '/readyz', '/metrics'])('does not expose %s', async (path) => {
    expect(await get('192.0.2.1', path)).toBe(404);
  });
});
