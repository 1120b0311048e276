import { message, parseUrl } from 'appreg';
import { request } from 'node:http';
import { isIP } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';
import { failed, notRun, passed, type Observation } from '../result.ts';
import { isSuccess } from './describe.ts';
import type { ConnectionTest } from '../case/host.ts';
import { trustedAuthorities, type HostTarget, requestTarget } from './raw.ts';

/** Tests of connections: their protocols, and plain HTTP beside HTTPS. */

/** Milliseconds for a connection. */
const CONNECT_TIMEOUT = 5000;

/** @param tlsFailure the code of the failure with which the first request was refused in TLS, or null */
export async function testConnection(
  id: string,
  test: ConnectionTest,
  target: HostTarget,
  tlsFailure: string | null,
): Promise<Observation> {
  const isSecure = target.base.protocol === 'https:';
  if (test === 'https')
    return isSecure
      ? passed(id, message`The URL begins with https:.`)
      : failed(id, message`The URL begins with http:. Serve the registry over HTTPS.`);
  if (!isSecure) return notRun(id, message`The URL begins with http:, so there is no TLS.`);
  if (test === 'certificate')
    return tlsFailure === null
      ? passed(id, message`The certificate is trusted.`)
      : failed(id, message`The TLS connection fails: ${tlsFailure}.`);
  if (target.proxyFor(target.base) !== null)
    return notRun(id, message`The requests use a proxy, which hides the connections of the host.`);
  if (test === 'plain-http') return testPlainHttp(id, target);
  return testTls(id, test, target);
}

async function testTls(
  id: string,
  test: 'old-tls' | 'tls-versions' | 'http2',
  target: HostTarget,
): Promise<Observation> {
  if (test === 'http2') {
    const protocol = await handshake(target, { ALPNProtocols: ['h2', 'http/1.1'] }, ({ alpnProtocol }) => alpnProtocol);
    return passed(id, protocol === 'h2' ? message`HTTP/2 is offered.` : message`HTTP/2 is not offered.`);
  }
  if (test === 'tls-versions') {
    const versions: string[] = [];
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
      if ((await handshake(target, { minVersion: version, maxVersion: version }, () => version)) !== null)
        versions.push(version);
    return versions.length > 0
      ? passed(id, message`${versions.join(', ')}`)
      : failed(id, message`The host accepts neither TLS 1.2 nor TLS 1.3.`);
  }
  // The security level of OpenSSL otherwise refuses them before they are offered.
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  const version = await handshake(target, old, (socket) => socket.getProtocol());
  return version === null
    ? passed(id, message`TLS 1.0 and 1.1 are refused.`)
    : failed(id, message`The host accepts ${version}, which is deprecated (RFC 8996).`);
}

/** Null if the handshake fails. */
function handshake<Result>(
  target: HostTarget,
  options: ConnectionOptions,
  result: (socket: ReturnType<typeof connect>) => Result,
): Promise<Result | null> {
  const host = target.base.hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(target.base.port || 443),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(target.lookup === null ? {} : { lookup: target.lookup }),
      ...trustedAuthorities(target),
      ...options,
    });
    const end = (value: Result | null): void => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(CONNECT_TIMEOUT, () => end(null));
    socket.once('error', () => end(null));
    socket.once('secureConnect', () => end(result(socket)));
  });
}

async function testPlainHttp(id: string, target: HostTarget): Promise<Observation> {
  const { plainPort, base } = target;
  if (plainPort === null) return notRun(id, message`The port of plain HTTP is not known.`);
  const answer = await plainAnswer(target, plainPort);
  if (answer === null) return passed(id, message`Plain HTTP is not answered.`);
  const { status, location } = answer;
  if (isSuccess(status)) return failed(id, message`The manifest is served over plain HTTP (status ${status}).`);
  const isSecure = location !== null && parseUrl(location, base.href)?.protocol === 'https:';
  return passed(
    id,
    isSecure ? message`Status ${status}, which redirects to https:.` : message`Status ${status} without a redirect.`,
  );
}

function plainAnswer(target: HostTarget, port: number): Promise<{ status: number; location: string | null } | null> {
  return new Promise((resolve) => {
    const sent = request({
      hostname: target.base.hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      path: requestTarget(target, 'registry.json', undefined),
      agent: false,
      signal: AbortSignal.timeout(CONNECT_TIMEOUT),
      ...(target.lookup === null ? {} : { lookup: target.lookup }),
    });
    sent.once('error', () => resolve(null));
    sent.once('response', ({ statusCode = 0, headers }) => {
      resolve({ status: statusCode, location: headers.location ?? null });
      sent.destroy();
    });
    sent.end();
  });
}
