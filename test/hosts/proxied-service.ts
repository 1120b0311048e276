import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { trustedProxies } from '../../service/src/config/settings.ts';
import { listen } from '../../service/src/http/listen.ts';
import { RATE_LIMITS } from '../../service/src/http/rate-limits.ts';
import { openWebFixture, type WebFixture } from '../../service/test/web-fixture.ts';
import { certificates } from '../support/fault-certificates.ts';
import { folder } from '../support/folders.ts';
import { freePort } from '../support/free-port.ts';

/** The service behind a proxy with the configuration of deploy/proxy, except for its port, its certificate and its times. */

export const HOST = 'flows.example.com';
/** Requests of a network that create organizations. */
export const SIGN_UPS = 5;
/** A second proxy, in front of the first one: what it says about clients counts. */
export const OUTER_PROXY = '127.0.0.2';
/** Milliseconds that the proxy waits for headers, instead of 15 seconds. */
export const HEADER_TIME = 2000;

export interface ProxyKind {
  program: string;
  /** @returns the arguments of the program */
  configure(root: string, ports: { proxy: number; service: number }): string[];
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ProxiedService {
  web: WebFixture;
  /** Sends a request from an address of this machine. */
  send(
    path: string,
    options?: { method?: string; headers?: Record<string, string>; body?: string; from?: string },
  ): Promise<Reply>;
  /** A connection for raw text. */
  open(): Promise<TLSSocket>;
  stop(): Promise<void>;
}

const shipped = (name: string): string => readFileSync(new URL(`../../deploy/proxy/${name}`, import.meta.url), 'utf8');

/** @throws if the text is not there: the shipped file was changed */
function replaced(text: string, changes: Record<string, string>): string {
  return Object.entries(changes).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`The configuration has no “${from}”.`);
    return result.replaceAll(from, to);
  }, text);
}

function certificateFiles(root: string): { cert: string; key: string } {
  const { cert, key } = certificates().get('good');
  writeFileSync(join(root, 'cert.pem'), cert);
  writeFileSync(join(root, 'key.pem'), key);
  return { cert: join(root, 'cert.pem'), key: join(root, 'key.pem') };
}

export const CADDY: ProxyKind = {
  program: 'caddy',
  configure(root, { proxy, service }) {
    const { cert, key } = certificateFiles(root);
    const text = replaced(shipped('Caddyfile'), {
      '{\n\tservers {': `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${root}\n\tservers {`,
      'read_header 15s': `read_header ${HEADER_TIME}ms`,
      'flows.example.com {': `https://${HOST}:${proxy} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`,
      '127.0.0.1:8090 {': `127.0.0.1:${service} {\n\t\ttrusted_proxies ${OUTER_PROXY}/32`,
    });
    writeFileSync(join(root, 'Caddyfile'), text);
    return ['run', '--adapter', 'caddyfile', '--config', join(root, 'Caddyfile')];
  },
};

export const NGINX: ProxyKind = {
  program: '/usr/sbin/nginx',
  configure(root, { proxy, service }) {
    const { cert, key } = certificateFiles(root);
    const text = replaced(shipped('nginx.conf'), {
      'listen 443 ssl;': `listen 127.0.0.1:${proxy} ssl;`,
      '127.0.0.1:8090': `127.0.0.1:${service}`,
      '/etc/ssl/flows.example.com/fullchain.pem': cert,
      '/etc/ssl/flows.example.com/privkey.pem': key,
      'client_header_timeout 15s': `client_header_timeout ${HEADER_TIME}ms`,
      'client_body_timeout 15s': `client_body_timeout ${HEADER_TIME}ms`,
      'location / {': `set_real_ip_from ${OUTER_PROXY}; real_ip_header X-Forwarded-For; location / {`,
    });
    mkdirSync(join(root, 'tmp'));
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const paths = kinds.map((name) => `${name}_temp_path ${root}/tmp/${name};`);
    const main = `daemon off; master_process off; pid ${root}/pid; error_log ${root}/log; events { worker_connections 8192; }`;
    writeFileSync(join(root, 'nginx.conf'), `${main} http { access_log off; ${paths.join(' ')}\n${text}}`);
    return ['-c', join(root, 'nginx.conf')];
  },
};

export async function startBehind(kind: ProxyKind): Promise<ProxiedService> {
  const web = await openWebFixture();
  const settings = {
    publicUrl: `https://${HOST}/`,
    trustProxy: trustedProxies(`127.0.0.1,${OUTER_PROXY}`),
    openSignUp: true,
  };
  const limits = { ...RATE_LIMITS, signUps: { requests: SIGN_UPS, seconds: 3600 } };
  const service = await listen({ host: '127.0.0.1', port: 0 }, web.app(settings, limits).fetch);
  const root = folder();
  const port = await freePort();
  const args = kind.configure(root, { proxy: port, service: Number(new URL(service.url).port) });
  const env = { PATH: process.env['PATH'], HOME: root, XDG_DATA_HOME: root, XDG_CONFIG_HOME: root };
  const proxy = spawn(kind.program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = outputOf(proxy);
  const agent = new Agent({ keepAlive: false });
  const send: ProxiedService['send'] = (path, { method = 'GET', headers = {}, body, from = '127.0.0.1' } = {}) =>
    new Promise((done, fail) => {
      const target = { host: '127.0.0.1', port, path, method, agent, localAddress: from };
      const options = { ...target, servername: HOST, rejectUnauthorized: false, headers: { host: HOST, ...headers } };
      request(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => void (text += part));
        response.once('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      })
        .once('error', fail)
        .end(body);
    });
  // Caddy asks once in five seconds whether the service is ready.
  for (let i = 0; ; i += 1) {
    const status = await send('/sign-in').then(
      ({ status: is }) => is,
      () => 0,
    );
    if (status === 200) break;
    if (i > 500) throw new Error(`${kind.program} does not respond (${status}): ${output()}`);
    await new Promise((done) => setTimeout(done, 100));
  }
  return {
    web,
    send,
    open: () =>
      new Promise((done, fail) => {
        const socket = connect({ host: '127.0.0.1', port, servername: HOST, rejectUnauthorized: false }, () =>
          done(socket),
        );
        socket.once('error', fail);
      }),
    async stop() {
      proxy.kill();
      await service.close();
      await web.stop();
    },
  };
}

function outputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data: Buffer) => void (output += data.toString()));
  child.once('error', (error) => (output += String(error)));
  return () => output.slice(-4000);
}
