import { message } from '../../core/text/message.ts';
import { isIP } from 'node:net';
import { invalidSetting } from './invalid-setting.ts';

/** A network of proxies, in CIDR notation; a single address has all bits. */
export interface Network {
  /** IPv4, or IPv6 that does not embed an IPv4 address. */
  address: string;
  family: 'ipv4' | 'ipv6';
  bits: number;
}

/**
 * The networks of TRUST_PROXY: addresses or networks, separated by commas.
 * @throws AppregError `setting-invalid`
 */
export function trustedProxies(text: string | undefined): Network[] {
  const entries = (text ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(networkIn);
}

function networkIn(text: string): Network {
  const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  const width = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (family === 0 || prefix > width)
    throw invalidSetting(
      message`TRUST_PROXY: “${text}” is neither an IP address nor a network.`,
      message`List the proxies in front of the service, separated by commas: TRUST_PROXY=10.0.0.5,192.168.0.0/16,2001:db8::/32`,
    );
  const embedded = ipv4In(address);
  if (family === 6 && embedded !== null && prefix >= 96)
    return { address: embedded, family: 'ipv4', bits: prefix - 96 };
  return { address, family: family === 4 ? 'ipv4' : 'ipv6', bits: prefix };
}

/** The address of `::ffff:192.0.2.1`: how a socket for both families reports an IPv4 connection. Null for others. */
export function ipv4In(address: string): string | null {
  return /^(?:0{0,4}:){2,5}ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? null;
}
