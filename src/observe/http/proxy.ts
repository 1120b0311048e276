import { BlockList, isIP } from 'node:net';
import type { ProxyFacts } from '../../core/facts/facts.ts';
import { parseUrl } from '../../core/url/url.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { type ConnectionTarget, targetOf } from './address-policy.ts';

/** The proxies that the environment names, interpreted as by curl and most other clients. */

export interface Proxy extends ConnectionTarget {
  /** Parts that may be displayed: the address without credentials, and the variable that named it. */
  facts: ProxyFacts;
  /** The value of Proxy-Authorization, or null. */
  authorization: string | null;
  /** The kind of value of a variable that cannot be used, as in “a socks5 proxy”; otherwise null. */
  unusable: string | null;
}

/** The proxy for a URL, or null for none. */
export type ProxyFor = (url: URL) => Proxy | null;

/** The proxies of the environment, and the PEM text of its additional certificate authorities (NODE_EXTRA_CA_CERTS). */
export function networkOf(env: NodeJS.ProcessEnv): { proxyFor: ProxyFor; machineCa: string | null } {
  const path = env['NODE_EXTRA_CA_CERTS'];
  // Like Node, ignores a missing file; Node itself prints a warning.
  const read = path ? readRegularFile(path) : null;
  return { proxyFor: proxiesIn(env), machineCa: read !== null && 'bytes' in read ? read.bytes.toString() : null };
}

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, in either case; lower case takes precedence, an empty value is
 * none. Never throws: an invalid proxy is reported when it would have been used.
 */
export function proxiesIn(env: NodeJS.ProcessEnv): ProxyFor {
  const proxies = new Map([
    ['https:', proxyOf(env, 'https_proxy')],
    ['http:', proxyOf(env, 'http_proxy')],
  ]);
  const isExcepted = exceptions(env['no_proxy'] || env['NO_PROXY'] || '');
  return (url) => {
    const proxy = proxies.get(url.protocol) ?? null;
    if (!proxy || isExcepted(url)) return null;
    // A remote proxy would connect to its own loopback interface, which is never intended.
    return isLoopback(targetOf(url).host) && !isLoopback(proxy.host) ? null : proxy;
  };
}

function proxyOf(env: NodeJS.ProcessEnv, kind: string): Proxy | null {
  for (const name of [kind, kind.toUpperCase(), 'all_proxy', 'ALL_PROXY']) {
    const value = env[name]?.trim();
    if (value) return parsed(value, name);
  }
  return null;
}

function parsed(value: string, variable: string): Proxy {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = parseUrl(text);
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
  const target = isUsable ? targetOf(url) : { host: '', port: 80, secure: false };
  const login = url && `${decoded(url.username)}:${decoded(url.password)}`;
  return {
    // Nothing of an unparsable value is displayed: it may contain a password.
    facts: { url: isUsable ? `${url.protocol}//${url.host}` : '', variable },
    ...target,
    authorization: login && login !== ':' ? `Basic ${Buffer.from(login).toString('base64')}` : null,
    unusable: isUsable ? null : unusableValue(url),
  };
}

function unusableValue(url: URL | null): string {
  return url ? `a ${url.protocol.slice(0, -1)} proxy` : 'a value that is not a proxy URL';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A name matches itself and all names below it, with or without a leading dot; addresses may be ranges. */
function exceptions(text: string): (url: URL) => boolean {
  const words = text.toLowerCase().split(/[\s,]+/);
  const all = words.filter((word) => word !== '').map(exception);
  return (url) => {
    const { host, port } = targetOf(url);
    return all.some((matches) => matches(host.replace(/\.$/, ''), port));
  };
}

function exception(word: string): (host: string, port: number) => boolean {
  if (word === '*') return () => true;
  const parts = /^(?:\[([0-9a-f:.]+)\]|([^:]+))(?::(\d+))?$/.exec(word);
  const name = parts?.[1] ?? parts?.[2] ?? word;
  const port = parts?.[3] === undefined ? null : Number(parts[3]);
  const range = rangeOf(name);
  const plain = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return (host, targetPort) => {
    if (port !== null && port !== targetPort) return false;
    const family = isIP(host);
    if (family !== 0) return range !== null && range.check(host, family === 6 ? 'ipv6' : 'ipv4');
    return host === plain || host.endsWith(`.${plain}`);
  };
}

function rangeOf(name: string): BlockList | null {
  const [address = '', bits] = name.split('/');
  const family = isIP(address);
  if (family === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
  const length = family === 6 ? 128 : 32;
  const prefix = Number(bits ?? length);
  if (prefix > length) return null;
  const list = new BlockList();
  list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
  return list;
}

function isLoopback(host: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(host) || (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
}
