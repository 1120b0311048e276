import { lookup as lookUp, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Who may be asked at all: decided for each connection, before anything is sent over it. */

/** What a connection is wanted to. */
export interface Target {
  /** A name, or an address without brackets. */
  host: string;
  port: number;
  secure: boolean;
}

/**
 * Why a place may not be asked: a code for the failure; null where it may.
 * Asked with null before a name is looked up, then with each of its addresses: one that is refused refuses the name. A
 * literal is its own address. Asked once more with the address that the connection stands to.
 */
export type AddressPolicy = (target: Target, address: string | null) => string | null;

/** The error that stands for a refusal. It names no address: what a name leads to is nobody's business. */
export function addressRefusal(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error('it is not asked from here'), { code });
}

/** A lookup whose answers are connected to only where all of them may be. */
export function lookupWithPolicy(target: Target, guard: AddressPolicy, lookup: LookupFunction | null): LookupFunction {
  const ask: LookupFunction = lookup ?? lookUp;
  return (host, options, callback) => {
    ask(host, { ...options, all: true }, (error, found, family) => {
      if (error) return callback(error, options.all ? [] : '', 0);
      // Some lookups answer with one address whatever they are asked.
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
