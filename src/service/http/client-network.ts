import type { Context } from 'hono';
import { addressBytes } from '../ip-address.ts';
import { clientAddress } from './client-address.ts';

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
