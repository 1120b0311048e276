import { type Network, ipv4In } from '../config/settings.ts';
import { BlockList, isIP, SocketAddress } from 'node:net';
import { type Context } from 'hono';
import { getConnInfo } from '@hono/node-server/conninfo';
import { addressBytes } from '../config/ip-address.ts';

/** Where a request comes from. */
export interface Client {
  /** The IP address; 'unknown' without a connection. */
  address: string;
  /** True if it uses https, as far as a trusted proxy says so. */
  secure: boolean;
}

type Trusted = Record<Network['family'], BlockList>;

/** The name of a family by its number. */
const FAMILIES: Record<number, Network['family']> = { 4: 'ipv4', 6: 'ipv6' };

/** Determines where requests come from. Headers that were not written by a trusted proxy are ignored. */
export function openClientDetection(proxies: readonly Network[]): (c: Context) => Client {
  // One for each family, since a single one compares IPv4 addresses with IPv6 networks, too.
  const trusted: Trusted = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { address, family, bits } of proxies) trusted[family].addSubnet(address, bits, family);
  return (c) => {
    const peer = connectionAddress(c) ?? 'unknown';
    if (!isIn(trusted, peer)) return { address: peer, secure: false };
    const forwarded = c.req.header('x-forwarded-for') ?? '';
    const scheme = c.req.header('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase();
    return { address: clientBehind(trusted, peer, forwarded), secure: scheme === 'https' };
  };
}

/** The address for the audit log and the log; rate limits count networks. */
export function clientAddress(c: Context): string {
  const { address }: Client = c.get('client');
  return address;
}

/**
 * The rightmost address of X-Forwarded-For that is not a trusted proxy: each proxy appends the address that connected
 * to it, so everything further left may be forged. If all of them are trusted, the leftmost; an entry that is not an
 * address ends the search.
 */
function clientBehind(trusted: Trusted, peer: string, forwarded: string): string {
  let client = peer;
  for (const entry of forwarded.split(',').toReversed()) {
    const address = addressIn(entry.trim());
    if (address === null) return client;
    client = address;
    if (!isIn(trusted, address)) return client;
  }
  return client;
}

/** The address of an entry: `192.0.2.1`, `2001:db8::1`, both also with a port; null for anything else. */
function addressIn(entry: string): string | null {
  const [, v6, v4] = /^\[([^\]]+)\](?::\d{1,5})?$|^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(entry) ?? [];
  return normalized(v6 ?? v4 ?? entry);
}

/** The address of the connection; null without one. */
export function connectionAddress(c: Context): string | null {
  try {
    return normalized(getConnInfo(c).remote.address ?? '');
  } catch {
    return null;
  }
}

/** An address in its usual notation, without a zone, and IPv4 not embedded in IPv6; null if it is not an address. */
function normalized(text: string): string | null {
  const [address = ''] = text.split('%');
  const family = isIP(address);
  if (family === 4) return address;
  if (family !== 6) return null;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  return ipv4In(canonical) ?? canonical;
}

function isIn(trusted: Trusted, address: string): boolean {
  const family = FAMILIES[isIP(address)];
  return family !== undefined && trusted[family].check(address, family);
}

/**
 * The network that counts for rate limits: an IPv4 address, or the first 64 bits of an IPv6 address, since a single client
 * usually has all addresses of such a network.
 */
export function clientNetwork(c: Context): string {
  return networkOf(clientAddress(c));
}

/** A prefix of IPv6, and where it contains the IPv4 address of the client. */
interface Embedding {
  prefix: readonly number[];
  /** Index of the first of its four bytes. */
  at: number;
  inverted?: true;
}

const EMBEDDINGS: readonly Embedding[] = [
  // ::ffff:0:0/96 (mapped) and ::ffff:0:0:0/96 (translated).
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], at: 12 },
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], at: 12 },
  // NAT64: 64:ff9b::/96, and 64:ff9b:1::/48 for local use.
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 1], at: 12 },
  // 6to4: an IPv4 address has 65,536 networks. Teredo: all clients of a server have one network.
  { prefix: [0x20, 0x02], at: 2 },
  { prefix: [0x20, 0x01, 0, 0], at: 12, inverted: true },
];

/** @param address as from `clientAddress`; a text that is not an address is returned as it is */
export function networkOf(address: string): string {
  const bytes = addressBytes(address);
  if (bytes?.length !== 16) return address;
  const embedding = EMBEDDINGS.find(({ prefix }) => prefix.every((byte, i) => bytes[i] === byte));
  if (embedding !== undefined) {
    const { at, inverted } = embedding;
    return bytes
      .slice(at, at + 4)
      .map((byte) => (inverted === true ? byte ^ 0xff : byte))
      .join('.');
  }
  return `${Buffer.from(bytes.slice(0, 8)).toString('hex')}/64`;
}
