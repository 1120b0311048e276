import { AppregError, message, parseUrl, type Probe } from 'appreg';
import { failureFact, type ProxyFor, systemErrorCode } from 'appreg/node';
import { Agent as PlainAgent, request as requestPlain, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { HostResponse } from './describe.ts';

/** Where the tree was uploaded, and how requests are sent there. */
export interface HostTarget {
  /** The folder of the tree, with a trailing slash. Its query, such as a signature, is sent with every request. */
  base: URL;
  /** PEM text of additional trusted authorities, or null. */
  ca: string | null;
  /** PEM text of NODE_EXTRA_CA_CERTS, or null. */
  machineCa: string | null;
  proxyFor: ProxyFor;
  /** Resolves names instead of the system resolver. */
  lookup: LookupFunction | null;
  /** The port at which plain HTTP is requested; null if it is not known. */
  plainPort: number | null;
}

/** Milliseconds for a request. */
export const TIMEOUT = 15_000;

/**
 * The folder of a tree: the URL of the folder, or of the manifest in it.
 * @throws AppregError `url-invalid` (exit 2) for anything but an http(s) URL without a user name
 */
export function folderUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new AppregError(
      'url-invalid',
      message`Invalid URL “${text}”. Expected an http(s) URL without a user name.`,
      message`Give the URL of the folder to which the files of “appreg conformance fixtures” were uploaded.`,
    );
  url.hash = '';
  url.pathname = url.pathname.replace(/\/registry\.json$/, '/').replace(/(?<!\/)$/, '/');
  return url;
}

/** The port of plain HTTP, if the folder has the default port of its scheme; otherwise null. */
export function plainPortOf({ protocol, port }: URL): number | null {
  return protocol === 'https:' && port === '' ? 80 : null;
}

/** The target of a request as it is sent: path and query. */
export function requestTarget({ base }: HostTarget, path: string, query: number | undefined): string {
  const target = base.pathname + path + base.search;
  if (query === undefined) return target;
  return `${target}${target.includes('?') ? '&' : '?'}conformance=${'a'.repeat(query)}`;
}

// Requests that the client of `observe` does not send: other methods, and paths that URLs normalize.

/** Keeps one connection, over which requests are sent one after the other. */
export interface RawClient {
  send(method: string, path: string, headers: Readonly<Record<string, string>>): Promise<HostResponse>;
  close(): void;
}

/** Authorities as the client of `observe` trusts them. */
export function trustedAuthorities({ ca, machineCa }: HostTarget): { ca?: string[] } {
  return ca === null ? {} : { ca: [...rootCertificates, ...(machineCa === null ? [] : [machineCa]), ca] };
}

/** The largest body that is read, in bytes. */
const LARGEST = 4_000_000;

export function openRawClient(target: HostTarget): RawClient {
  const { protocol, hostname, port, origin } = target.base;
  const isSecure = protocol === 'https:';
  const options = { keepAlive: true, maxSockets: 1 };
  const agent = isSecure ? new SecureAgent({ ...options, ...trustedAuthorities(target) }) : new PlainAgent(options);
  return {
    close: () => agent.destroy(),
    send: (method, path, headers) =>
      new Promise((resolve) => {
        const probe: Probe = {
          method: 'GET',
          origin: null,
          hops: [{ url: origin + path, status: 0, headers: [], address: null, tls: null }],
          failure: null,
          attempts: 1,
          retryAfterMs: 0,
        };
        const fail = (error: unknown): void => {
          const code = systemErrorCode(error) ?? 'ERROR';
          resolve({
            probe: { ...probe, failure: failureFact('headers', code, code, origin) },
            body: null,
            reused: false,
          });
        };
        const sent = (isSecure ? requestSecure : requestPlain)({
          agent,
          hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
          port,
          method,
          path,
          headers: { 'user-agent': 'appreg', accept: '*/*', 'accept-encoding': 'identity', ...headers },
          signal: AbortSignal.timeout(TIMEOUT),
          ...(target.lookup === null ? {} : { lookup: target.lookup }),
        });
        sent.on('error', fail);
        sent.on('response', (response) => {
          bodyOf(response).then((body) => {
            const { statusCode = 0, rawHeaders } = response;
            const [hop] = probe.hops;
            if (hop) Object.assign(hop, { status: statusCode, headers: pairs(rawHeaders) });
            resolve({ probe, body, reused: sent.reusedSocket });
          }, fail);
        });
        sent.end();
      }),
  };
}

async function bodyOf(response: AsyncIterable<Buffer> & Pick<IncomingMessage, 'destroy'>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > LARGEST) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function pairs(raw: readonly string[]): [string, string][] {
  const names = raw.filter((_, at) => at % 2 === 0);
  return names.map((name, at) => [name.toLowerCase(), raw[at * 2 + 1] ?? '']);
}
