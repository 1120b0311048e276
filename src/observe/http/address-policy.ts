import { lookup as lookUp, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Which addresses may be connected to: decided per connection, before anything is sent over it. */

/** The host and port that a request connects to. */
export interface ConnectionTarget {
  /** A name, or an address without brackets. */
  host: string;
  port: number;
  secure: boolean;
}

/** The target of a request to a URL. */
export function targetOf({ protocol, hostname, port }: Pick<URL, 'protocol' | 'hostname' | 'port'>): ConnectionTarget {
  const secure = protocol === 'https:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80), secure };
}

/**
 * The failure code if a target may not be connected to; null if it may. Called with null before a name is resolved,
 * then with each of its addresses: if one is refused, the name is. A literal is its own address. Called again with the
 * address of the established connection.
 */
export type AddressPolicy = (target: ConnectionTarget, address: string | null) => string | null;

/** The error for a refusal. It does not name the address, so that internal DNS answers are not disclosed. */
export function addressRefusal(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error('requests to it are not allowed'), { code });
}

/** A lookup that succeeds only if every address of its answer is allowed. */
export function lookupWithPolicy(
  target: ConnectionTarget,
  guard: AddressPolicy,
  lookup: LookupFunction | null,
): LookupFunction {
  const resolveName: LookupFunction = lookup ?? lookUp;
  return (host, options, callback) => {
    resolveName(host, { ...options, all: true }, (error, found, family) => {
      if (error) return callback(error, options.all ? [] : '', 0);
      // Some lookup functions return one address even if all were requested.
      const all: LookupAddress[] = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
      for (const { address } of all) {
        const code = guard(target, address);
        if (code !== null) return callback(addressRefusal(code), options.all ? [] : '', 0);
      }
      if (options.all) return callback(null, all);
      callback(null, all[0]?.address ?? '', all[0]?.family ?? 0);
    });
  };
}
