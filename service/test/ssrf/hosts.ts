import { once } from 'node:events';
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { checksum, archive, SVG } from '../../../test/support/live-registry.ts';
import { INTERNAL, PUBLIC_V4, PUBLIC_V6, REBINDING, TARGETS } from './targets.ts';

/** One server at all addresses of the network: it is the public host at two of them, and a decoy at the others. */

export interface Hosts {
  /** Connections to decoys: the address and the port. */
  reached: string[];
  /** Requests to the public host: the host and the path. */
  requests: string[];
  /** The decoys that can be reached in this network. */
  probeDecoys(): Promise<string[]>;
}

const ARTIFACT = archive('export const hostile = true;');
const STATUSES = [301, 302, 303, 307, 308];
/** What other clients would follow. */
const LURES = {
  'alt-svc': 'h2="10.0.0.1:443"; ma=86400, http/1.1="10.0.0.1:443"',
  link: '<https://10.0.0.1/style.css>; rel=preload, <https://10.0.0.1>; rel=preconnect',
  refresh: '0; url=https://10.0.0.1/',
  'content-location': 'https://10.0.0.1/registry.json',
};

export async function startHosts(tls: { key: string; cert: string }): Promise<Hosts> {
  const reached: string[] = [];
  const requests: string[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(`${request.headers.host}${request.url}`);
    answer(request, response);
  };
  const count = (socket: Socket): void => {
    const address = (socket.localAddress ?? '').replace(/^::ffff:/, '');
    if (address !== PUBLIC_V4 && address !== PUBLIC_V6) reached.push(`${address} ${socket.localPort}`);
  };
  const servers = [443, 8443].map((port) => createServer(tls, handle).on('connection', count).listen(port, '::'));
  // The last one is that of proxies.
  for (const port of [80, 3128]) servers.push(createPlain(handle).on('connection', count).listen(port, '::') as never);
  await Promise.all(servers.map((server) => once(server, 'listening')));
  return {
    reached,
    requests,
    async probeDecoys() {
      for (const address of INTERNAL) await probe(address);
      return reached.splice(0);
    },
  };
}

/** Connects like a service without an address policy. */
async function probe(host: string): Promise<void> {
  const socket = connect({ host, port: 443 }, () => socket.end()).on('error', () => {});
  await new Promise((done) => socket.on('close', done));
}

function answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
  const [, kind, place, number = ''] = /^\/(\w+)(?:\/(\w+))?(?:\/(\d+))?/.exec(url) ?? [];
  const send = (type: string, body: string | Buffer): void => {
    response.writeHead(200, { ...LURES, 'content-type': type, 'access-control-allow-origin': '*' }).end(body);
  };
  if (kind === 'redirect') {
    // The bytes of UTF-8, as hosts send them.
    const location = Buffer.from(`https://${targetOf(number)}/${place}/${number}`).toString('latin1');
    response.writeHead(STATUSES[Number(number) % STATUSES.length]!, { ...LURES, location }).end();
  } else if (kind === 'registry') send('application/json', manifest());
  else if (kind === 'rebinding' || kind === 'manifest') send('application/json', '{"apps":{}}');
  else if (kind === 'versions') send('application/json', metadata(Number(number)));
  else if (kind === 'metadata') send('application/json', '{"versions":[]}');
  else if (kind === 'icon') send('image/svg+xml', SVG);
  else send('application/gzip', ARTIFACT);
}

/** The hosts of apps: targets, then public ones. */
const APP_HOSTS = [...TARGETS, 'control.test', REBINDING.icon, REBINDING.metadata, REBINDING.artifact];

function targetOf(number: number | string): string {
  return APP_HOSTS[Number(number)] ?? REBINDING.redirected;
}

/** For each target apps whose files are there, directly and by a redirect; the last ones are at a public host. */
function manifest(): string {
  const apps: Record<string, unknown> = {};
  for (const [i, host] of APP_HOSTS.entries()) {
    const urls = {
      versions: [`https://${host}/icon/${i}`, `https://public.test/versions/of/${i}`],
      metadata: [`https://public.test/redirect/icon/${i}`, `https://${host}/metadata/file/${i}`],
      redirected: [`https://public.test/icon/0`, `https://public.test/redirect/metadata/${i}`],
    };
    for (const [kind, [iconUrl, appMetadataUrl]] of Object.entries(urls))
      apps[`${kind}-${i}`] = { name: kind, description: '', blockStyle: { iconUrl, color: '#112233' }, appMetadataUrl };
  }
  return JSON.stringify({ apps });
}

function metadata(i: number): string {
  const host = targetOf(i);
  const artifactUrls = [`https://${host}/artifact/${i}`, `https://public.test/redirect/artifact/${i}`];
  const versions = artifactUrls.map((artifactUrl, minor) => ({
    version: `1.${minor}.0`,
    artifactUrl,
    artifactChecksum: checksum(ARTIFACT),
  }));
  return JSON.stringify({ versions });
}
