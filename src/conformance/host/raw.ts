import { Agent as PlainAgent, request as requestPlain, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestSecure } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Probe } from '../../core/facts/facts.ts';
import { failureFact } from '../../observe/http/failure.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import type { HostResponse } from './response.ts';
import { type HostTarget, TIMEOUT } from './target.ts';

/** Requests that the client of `observe` does not send: other methods, and paths that URLs normalize. */

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
