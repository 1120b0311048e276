import { INSECURE_REFUSED, PORT_REFUSED } from 'appreg';
import { type AddressPolicy, type ConnectionTarget, SecureContexts, type WebOptions } from 'appreg/node';
import { type Settings } from './settings.ts';
import { type Log } from '../log.ts';
import { type AddressKind, addressKind } from './ip-address.ts';
import { networkInterfaces } from 'node:os';
import { type LookupFunction, isIP } from 'node:net';
import { promises as dns, type LookupAddress, lookup as systemLookup } from 'node:dns';
import { callbackify } from 'node:util';

/** Options for requests to registry hosts, and for reading artifacts. */
export interface OutboundOptions extends Pick<
  WebOptions,
  'contexts' | 'digestWorkers' | 'guard' | 'lookup' | 'headersTimeout' | 'connectTimeout' | 'idleTimeout' | 'backoff'
> {
  /** Milliseconds after which a subscription request is answered, whatever is known about the registry. */
  subscribeTimeout: number;
}

/** Registry URLs are untrusted input, so the service only connects to public addresses. */

/** Not a public address, or the service itself. Only the operator can distinguish this from, for example, a timeout. */
const ADDRESS_REFUSED = 'ADDRESS_REFUSED';

/** Milliseconds: a form must not wait for longer than two seconds. */
const SUBSCRIBE_TIMEOUT = 1800;

/** Options for all requests of the service. @param ownPorts the ports that it listens on */
export function outboundOptions(settings: Settings, log: Log, ownPorts: () => readonly number[]): OutboundOptions {
  return {
    guard: openAddressPolicy({
      ...settings,
      ownPorts,
      onRefused: ({ host, port }, address, kind) =>
        log('warn', 'address-refused', {
          host,
          port,
          address,
          kind,
          remedy: `Start the service with --allow-host ${host} if it may send requests to this host.`,
        }),
    }),
    lookup: openLookup(settings.allowHosts),
    // The service observes thousands of hosts with the same authorities.
    contexts: new SecureContexts(),
    subscribeTimeout: SUBSCRIBE_TIMEOUT,
  };
}

export interface AddressPolicyOptions extends Pick<Settings, 'allowHosts' | 'allowHttp'> {
  /** The ports that the service itself listens on. */
  ownPorts(): readonly number[];
  /** Called for every refused address. */
  onRefused?(target: ConnectionTarget, address: string, kind: AddressKind | 'own'): void;
}

export function openAddressPolicy({ allowHosts, allowHttp, ownPorts, onRefused }: AddressPolicyOptions): AddressPolicy {
  const allowed = new Set(allowHosts.map(plainHost));
  return (target, address) => {
    const { port, secure } = target;
    const host = plainHost(target.host);
    const withPort = allowed.has(`${host}:${port}`);
    const byName = withPort || allowed.has(host) || (isThisMachine(host) && allows(allowed, 'localhost', port));
    if (!byName) {
      if (!secure && !allowHttp) return INSECURE_REFUSED;
      if (port !== (secure ? 443 : 80)) return PORT_REFUSED;
    }
    if (address === null) return null;
    const kind = addressKind(address);
    // Allowing a host does not include the service itself, unless the entry names its port.
    const own = !withPort && ownPorts().includes(port) && (isThisMachine(address) || isOwnAddress(address));
    if (!own && (byName || kind === 'public')) return null;
    onRefused?.(target, address, own ? 'own' : kind);
    return ADDRESS_REFUSED;
  };
}

function allows(allowed: ReadonlySet<string>, host: string, port: number): boolean {
  return allowed.has(host) || allowed.has(`${host}:${port}`);
}

/** Normalizes case, the trailing dot and brackets. */
function plainHost(text: string): string {
  const lower = text.trim().toLowerCase();
  const [, inner, rest = ''] = /^\[([^\]]*)\](.*)$/.exec(lower) ?? [null, lower];
  return `${inner.replace(/\.(?=$|:\d+$)/, '')}${rest}`;
}

/** Also for 0.0.0.0 and ::, which connect to this machine. */
function isThisMachine(address: string): boolean {
  const kind = addressKind(address);
  return kind === 'loopback' || kind === 'unspecified';
}

function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address));
}

/**
 * Queries name servers directly: the system's resolver has four threads per process, so a few names whose servers never
 * respond would block all other lookups. Hosts allowed by name are resolved by the system.
 */
function openLookup(allowHosts: readonly string[]): LookupFunction {
  const resolver = new dns.Resolver({ timeout: 2500, tries: 2 });
  const allowed = new Set(allowHosts.map((host) => plainHost(host).replace(/:\d+$/, '')));
  const resolve = async (host: string): Promise<LookupAddress[]> => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error('no address');
    return found;
  };
  return (host, options, callback) => {
    const name = plainHost(host);
    if (isIP(name) || allowed.has(name))
      return systemLookup(host, { ...options, all: true }, (error, all) => callback(error, all));
    callbackify(resolve)(name, (error, all) => callback(error, all));
  };
}
