import { parseUrl, printable, shorten } from 'appreg';
import { type Context } from 'hono';
import { type Settings, isLocalListenAddress } from '../config/settings.ts';
import { Refusal } from './problems.ts';
import { type HttpBindings } from '@hono/node-server';
import { addressKind } from '../config/ip-address.ts';
import { isIP } from 'node:net';
import { connectionAddress, clientAddress } from './client-address.ts';

/**
 * The hosts that the service responds for. A page of another site whose name resolves to this machine (DNS rebinding) can
 * send requests to the service from a browser, and read the responses; but its name is in the Host header. Ports are not
 * compared, since proxies leave them out. X-Forwarded-Host is not read.
 */

/** Routes without data of organizations, for probes and Prometheus, which use the address or the name of a node. */
const OPERATOR_ROUTES = new Set(['/healthz', '/readyz', '/metrics']);

/** @throws Refusal for a request with several Host headers, or with the host of another site */
type HostCheck = (c: Context) => void;

export function openHostCheck(settings: Pick<Settings, 'host' | 'publicUrl' | 'openSignUp'>): HostCheck {
  const isLocal = isLocalListenAddress(settings.host);
  const publicHost = settings.publicUrl === null ? null : new URL(settings.publicUrl).hostname;

  function isExpected(hostname: string, c: Context): boolean {
    if (hostname === publicHost) return true;
    if (isLoopbackName(hostname) && isFromThisMachine(c)) return true;
    if (OPERATOR_ROUTES.has(c.req.path) && (!isLocal || isUnresolvable(hostname))) return true;
    if (publicHost !== null || isLocal) return false;
    // Its names are not known. Without open sign-up, a request needs a token, which browsers do not send on their own.
    return !settings.openSignUp || isUnresolvable(hostname);
  }

  return (c) => {
    const hosts = hostHeaders(c);
    if (hosts.length > 1) throw new Refusal('malformed-request', 'The request has several Host headers. Send one.');
    // With an absolute URL as the target of the request, both are checked.
    for (const host of [...hosts, new URL(c.req.url).host]) {
      const hostname = parseUrl(`http://${host}/`)?.hostname.replace(/\.$/, '') ?? '';
      if (!isExpected(hostname, c)) throw misdirected(host, settings, publicHost);
    }
  };
}

function misdirected(host: string, { host: address }: Pick<Settings, 'host'>, publicHost: string | null): Refusal {
  const expected = publicHost ?? (isLocalListenAddress(address) ? 'localhost' : null);
  const responds =
    expected === null
      ? 'This service responds for addresses and for names without a dot.'
      : `This service responds for ${expected}.`;
  const advice = 'Its operator can set another one with PUBLIC_URL.';
  const sent = printable(shorten(host, 100));
  return new Refusal('misdirected-request', `The request is for the host “${sent}”. ${responds} ${advice}`, {
    expectedHost: expected,
  });
}

function hostHeaders(c: Context): string[] {
  const { incoming }: Partial<HttpBindings> = c.env ?? {};
  const raw = incoming?.rawHeaders ?? [];
  const sent = raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === 'host');
  if (sent.length > 0) return sent;
  const host = c.req.header('host');
  return host === undefined ? [] : [host];
}

function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || addressOf(hostname)?.kind === 'loopback';
}

/** An address, or a name without a dot: no site of the internet has such a name. */
function isUnresolvable(hostname: string): boolean {
  return addressOf(hostname) !== null || (hostname !== '' && !hostname.includes('.'));
}

function addressOf(hostname: string): { kind: ReturnType<typeof addressKind> } | null {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? null : { kind: addressKind(address) };
}

/** Behind a proxy on this machine, the client counts. Also without a connection: in that case there is no network. */
function isFromThisMachine(c: Context): boolean {
  return connectionAddress(c) === null || addressKind(clientAddress(c)) === 'loopback';
}
